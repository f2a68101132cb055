package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.split.KorpseSplit;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of the simulation: a proxy from which one rule is taken out must break an invariant, and
 * the one that the rule is there for.
 */
@Timeout(300)
class PollProxyMutationTest {

  private static final int SEEDS = 400;

  @Test
  void r1_one_flag_instead_of_a_set_of_reasons_breaks_the_pauses() {
    assertBroken(
        "I4",
        new ProxyRules() {
          @Override
          PauseLedger ledger(PauseTimes times) {
            return new PauseLedger(times) {
              @Override
              boolean remove(Entry entry, PauseReason reason, long nowNanos) {
                boolean was = entry.has(reason);
                for (PauseReason any : PauseReason.values()) {
                  super.remove(entry, any, nowNanos);
                }
                return was;
              }
            };
          }
        });
  }

  @Test
  void r2_no_distance_between_full_and_empty_enough_breaks_the_limit_of_flips() {
    assertBroken(
        "I6",
        new ProxyRules(),
        seed -> SimSettings.backlog(seed, false, false),
        PollProxyMutationTest::withoutHysteresis);
  }

  @Test
  void more_groups_of_paused_splits_than_allowed_breaks_the_bound_of_responses() {
    assertBroken(
        "PINNED", new ProxyRules(), SimSettings::of, PollProxyMutationTest::withMoreGroups);
  }

  @Test
  void asking_ahead_again_when_the_answer_came_at_once_breaks_the_pauses() {
    assertBroken(
        "I4",
        new ProxyRules() {
          @Override
          FetchAhead fetchAhead() {
            return new FetchAhead() {
              @Override
              void cameEarly() {}
            };
          }
        });
  }

  @Test
  void polls_larger_than_their_quota_break_the_bound() {
    assertBroken("I3", new ProxyRules(), SimSettings::of, settings -> withSizes(settings, 1, 20));
  }

  @Test
  void splits_that_are_full_later_break_their_bound() {
    assertBroken(
        "I3",
        new ProxyRules(),
        seed -> SimSettings.backlog(seed, false, false),
        settings -> withSizes(settings, 3, 1));
  }

  @Test
  void r3_everything_told_each_time_is_noticed() {
    assertBroken(
        "R3",
        new ProxyRules() {
          @Override
          PauseLedger ledger(PauseTimes times) {
            return new PauseLedger(times) {
              @Override
              Delta apply(Consumer<?, ?> consumer) {
                Delta delta = super.apply(consumer);
                consumer.pause(consumer.paused());
                return delta;
              }
            };
          }
        });
  }

  @Test
  void r4_nobody_admitted_to_a_reader_that_is_full_of_held_records_breaks_progress() {
    assertBroken(
        "I5",
        new ProxyRules() {
          @Override
          Admission admission(ProxyParts parts, PauseLedger ledger, OrderWait orderWait) {
            return new Admission(
                parts.budget(),
                parts.limits(),
                ledger,
                orderWait,
                parts.stats(),
                maxHunger(parts)) {
              @Override
              void update(Collection<SplitBuffer> splits, boolean stuck, long nowNanos) {
                super.update(splits, false, nowNanos);
              }
            };
          }
        },
        seed -> SimSettings.backlog(seed, true, true),
        SimSettings::limits);
  }

  @Test
  void r4_a_reader_budget_that_stops_nobody_breaks_its_bound() {
    assertBroken(
        "I3",
        new ProxyRules() {
          @Override
          Admission admission(ProxyParts parts, PauseLedger ledger, OrderWait orderWait) {
            return new Admission(
                parts.budget(),
                parts.limits(),
                ledger,
                orderWait,
                parts.stats(),
                maxHunger(parts)) {
              @Override
              void update(Collection<SplitBuffer> splits, boolean stuck, long nowNanos) {}
            };
          }
        });
  }

  @Test
  void r4_a_window_that_opens_for_the_earliest_only_starves_the_others() {
    assertBroken(
        "I5",
        new ProxyRules() {
          @Override
          Admission admission(ProxyParts parts, PauseLedger ledger, OrderWait orderWait) {
            return new Admission(
                parts.budget(), parts.limits(), ledger, orderWait, parts.stats(), Long.MAX_VALUE);
          }
        },
        SimSettings::crowd,
        SimSettings::limits);
  }

  @Test
  void r5_pauses_not_told_again_after_an_assignment_are_lost() {
    assertBroken(
        "I4",
        new ProxyRules() {
          @Override
          PauseLedger ledger(PauseTimes times) {
            return new PauseLedger(times) {
              @Override
              void reassigned(Entry entry) {}
            };
          }
        });
  }

  @Test
  void r5_reasons_that_outlive_their_split_are_counted_for_ever() {
    assertBroken(
        "I4",
        new ProxyRules() {
          @Override
          PauseLedger ledger(PauseTimes times) {
            return new PauseLedger(times) {
              @Override
              void forget(Entry entry, long nowNanos) {}
            };
          }
        });
  }

  @Test
  void r6_a_stop_offset_that_is_not_looked_at_breaks_what_comes_out() {
    assertBroken(
        "I1",
        settings ->
            new ProxySimulation(settings, new ProxyRules()) {
              @Override
              KorpseSplit toRead(SimSplit split) {
                KorpseSplit real = split.split();
                return new KorpseSplit(
                    real.partition(),
                    real.position(),
                    KorpseSplit.NO_STOP_OFFSET,
                    real.topicId(),
                    false);
              }
            });
  }

  @Test
  void r8_polls_that_never_wait_are_noticed() {
    assertBroken(
        "SPIN",
        settings ->
            new ProxySimulation(settings, new ProxyRules()) {
              @Override
              Consumer<byte[], byte[]> seen(SimConsumer created) {
                return forwarding(
                    (method, args) ->
                        method.getName().equals("poll")
                            ? created.poll(Duration.ZERO)
                            : call(created, method, args));
              }
            });
  }

  @Test
  void r9_a_failure_that_is_swallowed_is_noticed() {
    assertBroken(
        "R9",
        settings ->
            new ProxySimulation(settings, new ProxyRules()) {
              @Override
              Consumer<byte[], byte[]> seen(SimConsumer created) {
                return forwarding(
                    (method, args) -> {
                      boolean before = created.hasFailed();
                      try {
                        return call(created, method, args);
                      } catch (KafkaException e) {
                        if (created.hasFailed() && !before) {
                          return ConsumerRecords.empty();
                        }
                        throw e;
                      }
                    });
              }
            });
  }

  @Test
  void records_of_held_splits_in_the_choice_break_alignment() {
    assertBroken("I9", choosing(WithoutHold::new));
  }

  @Test
  void a_hold_without_an_end_starves_a_split_with_a_wrong_clock() {
    assertBroken(
        "HOLD",
        new ProxyRules() {
          @Override
          SplitChooser chooser(ProxyParts parts) {
            return parts.eventTime()
                ? new EventTimeChooser(
                    new OrderSlack(
                        parts.orderSlackMillis(), parts.maxOrderSlackMillis(), parts.stats()),
                    Long.MAX_VALUE / 2,
                    parts.stats())
                : parts.newChooser();
          }
        });
  }

  @Test
  void a_turn_that_never_ends_breaks_fairness() {
    assertBroken(
        "I11",
        choosing(chooser -> new LowestFirst()),
        seed -> SimSettings.backlog(seed, false, false),
        SimSettings::limits);
  }

  @Test
  void a_wait_for_order_without_a_limit_breaks_the_waiting_rule() {
    assertBroken(
        "WAIT",
        new ProxyRules() {
          @Override
          OrderWait orderWait(ProxyParts parts) {
            return new OrderWait(
                60_000_000_000L,
                parts.orderSlackMillis(),
                parts.clock().getAsLong(),
                parts.stats());
          }
        });
  }

  @Test
  void a_longer_time_in_which_an_answer_costs_nothing_breaks_the_waiting_rule() {
    assertBroken(
        "WAIT",
        new ProxyRules() {
          @Override
          OrderWait orderWait(ProxyParts parts) {
            return new OrderWait(
                parts.orderWait().toNanos(),
                parts.orderSlackMillis(),
                parts.clock().getAsLong(),
                parts.stats()) {
              @Override
              long promptNanos() {
                return 4 * PROMPT_NANOS;
              }
            };
          }
        });
  }

  private static void assertBroken(String invariant, ProxyRules rules) {
    assertBroken(invariant, rules, SimSettings::of, SimSettings::limits);
  }

  private static void assertBroken(
      String invariant,
      ProxyRules rules,
      LongFunction<SimSettings> worlds,
      Function<SimSettings, ProxyLimits> limits) {
    assertBroken(
        invariant,
        worlds,
        settings -> new ProxySimulation(settings, rules, limits.apply(settings)));
  }

  private static void assertBroken(
      String invariant, Function<SimSettings, ProxySimulation> simulations) {
    assertBroken(invariant, SimSettings::of, simulations);
  }

  private static void assertBroken(
      String invariant,
      LongFunction<SimSettings> worlds,
      Function<SimSettings, ProxySimulation> simulations) {
    TreeSet<String> broken = new TreeSet<>();
    for (long seed = 1; seed <= SEEDS && !broken.contains(invariant); seed++) {
      try {
        simulations.apply(worlds.apply(seed)).run();
      } catch (AssertionError e) {
        if (e.getCause() instanceof SimViolation violation) {
          broken.add(violation.invariant());
        } else {
          broken.add(String.valueOf(e.getCause()));
        }
      }
    }
    assertThat(broken).as("broken invariants").contains(invariant);
  }

  private interface Forward {
    Object call(Method method, Object[] args) throws Throwable;
  }

  @SuppressWarnings("unchecked")
  private static Consumer<byte[], byte[]> forwarding(Forward forward) {
    return (Consumer<byte[], byte[]>)
        Proxy.newProxyInstance(
            Consumer.class.getClassLoader(),
            new Class<?>[] {Consumer.class},
            (proxy, method, args) -> forward.call(method, args));
  }

  private static Object call(SimConsumer consumer, Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(consumer, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /**
   * A low watermark right below the high one, and polls so small that a full split, which stays
   * open for as long as the client holds more, is not far over it either.
   */
  private static ProxyLimits withoutHysteresis(SimSettings settings) {
    ProxyLimits limits = settings.limits();
    return new ProxyLimits(
        limits.splitHighBytes(),
        limits.splitHighBytes() - 1,
        limits.splitHighRecords(),
        limits.splitHighRecords() - 1,
        limits.readerBytes(),
        limits.pollBytes() / 8,
        limits.batchRecords(),
        limits.batchBytes(),
        limits.batches(),
        limits.retainedResponses(),
        limits.maxWait());
  }

  private static ProxyLimits withSizes(SimSettings settings, int splits, int polls) {
    ProxyLimits limits = settings.limits();
    return new ProxyLimits(
        Math.min(splits * limits.splitHighBytes(), limits.readerBytes()),
        limits.splitLowBytes(),
        splits * limits.splitHighRecords(),
        limits.splitLowRecords(),
        limits.readerBytes(),
        polls * limits.pollBytes(),
        limits.batchRecords(),
        limits.batchBytes(),
        limits.batches(),
        limits.retainedResponses(),
        limits.maxWait());
  }

  private static ProxyLimits withMoreGroups(SimSettings settings) {
    ProxyLimits limits = settings.limits();
    return new ProxyLimits(
        limits.splitHighBytes(),
        limits.splitLowBytes(),
        limits.splitHighRecords(),
        limits.splitLowRecords(),
        limits.readerBytes(),
        limits.pollBytes(),
        limits.batchRecords(),
        limits.batchBytes(),
        limits.batches(),
        limits.retainedResponses() + 3,
        limits.maxWait());
  }

  private static ProxyRules choosing(Function<SplitChooser, SplitChooser> mutation) {
    return new ProxyRules() {
      @Override
      SplitChooser chooser(ProxyParts parts) {
        return mutation.apply(super.chooser(parts));
      }
    };
  }

  /** Leaves in the choice what is held. */
  private static final class WithoutHold extends ForwardingChooser {
    WithoutHold(SplitChooser chooser) {
      super(chooser);
    }

    @Override
    public void notReady(SplitBuffer split) {
      if (!split.hasRun()) {
        super.notReady(split);
      }
    }
  }

  /** Serves whoever comes first by name, as long as it has something. */
  private static final class LowestFirst implements SplitChooser {
    private final TreeMap<String, SplitBuffer> ready = new TreeMap<>();

    @Override
    public void ready(SplitBuffer split, long nowNanos) {
      ready.put(split.splitId(), split);
    }

    @Override
    public void notReady(SplitBuffer split) {
      ready.remove(split.splitId());
    }

    @Override
    public SplitBuffer next(long horizon, long nowNanos) {
      return ready.isEmpty() ? null : ready.firstEntry().getValue();
    }

    @Override
    public long runUntil(SplitBuffer split, long horizon) {
      return Long.MAX_VALUE;
    }

    @Override
    public long runBytes(SplitBuffer split) {
      return Long.MAX_VALUE;
    }

    @Override
    public void served(SplitBuffer split, long takenBytes, boolean stillReady, long nowNanos) {
      if (!stillReady) {
        ready.remove(split.splitId());
      }
    }

    @Override
    public boolean waits() {
      return false;
    }

    @Override
    public int size() {
      return ready.size();
    }
  }

  private abstract static class ForwardingChooser implements SplitChooser {
    private final SplitChooser chooser;

    ForwardingChooser(SplitChooser chooser) {
      this.chooser = chooser;
    }

    @Override
    public void ready(SplitBuffer split, long nowNanos) {
      chooser.ready(split, nowNanos);
    }

    @Override
    public void notReady(SplitBuffer split) {
      chooser.notReady(split);
    }

    @Override
    public SplitBuffer next(long horizon, long nowNanos) {
      return chooser.next(horizon, nowNanos);
    }

    @Override
    public long runUntil(SplitBuffer split, long horizon) {
      return chooser.runUntil(split, horizon);
    }

    @Override
    public long runBytes(SplitBuffer split) {
      return chooser.runBytes(split);
    }

    @Override
    public void served(SplitBuffer split, long takenBytes, boolean stillReady, long nowNanos) {
      chooser.served(split, takenBytes, stillReady, nowNanos);
    }

    @Override
    public boolean waits() {
      return chooser.waits();
    }

    @Override
    public int size() {
      return chooser.size();
    }
  }
}
