/** The command {@code bin/demo}: the main job with real parts, once through, on real input. */
package io.korpse.flink.jobs.demo;
