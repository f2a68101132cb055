package io.korpse.flink.source.reader.proxy;

/**
 * What this proxy has buffered, as part of the reader's budget. Confined to the fetcher thread.
 *
 * <p>A record's bytes are reserved when it arrives and stay so while it is handed over; they are
 * released when its batch is taken back, or when it is discarded.
 */
final class Holdings {

  private final BufferBudget budget;
  private final ProxyStats stats;
  private long records;
  private long bytes;

  Holdings(BufferBudget budget, ProxyStats stats) {
    this.budget = budget;
    this.stats = stats;
  }

  long bytes() {
    return bytes;
  }

  void arrived(int count, long size) {
    budget.reserve(size);
    records += count;
    bytes += size;
  }

  void handedOver(int count, long size) {
    records -= count;
    bytes -= size;
  }

  void discard(SplitBuffer split) {
    records -= split.records();
    long freed = split.discard();
    bytes -= freed;
    budget.release(freed);
    publish();
  }

  void releaseAll() {
    budget.release(bytes);
    records = 0;
    bytes = 0;
    publish();
  }

  void publish() {
    stats.buffered(records, bytes);
  }
}
