package dev.muster.simulator.baseline;

/// First in, first out. In strict mode, the first job without a placement stops all jobs behind it.
/// Otherwise jobs that fit pass it.
///
/// Source: the FIFO of Hu, Sun, Yan, Wen, Zhang: Characterization and Prediction of Deep Learning
/// Workloads in Large-Scale GPU Datacenters (Helios), SC 2021, is the strict one.
///
/// @param strict true if the first job without a placement ends the pass
record FirstInFirstOut(boolean strict) implements BaselinePolicy {
  @Override
  public void pass(BaselineCluster cluster) {
    cluster.waiting().pass(cluster::start, strict);
  }
}
