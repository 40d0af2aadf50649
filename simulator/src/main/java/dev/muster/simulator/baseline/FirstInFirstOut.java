package dev.muster.simulator.baseline;

/// First in, first out. Strict, the first job that has no place keeps all behind it waiting; else
/// those that fit pass it.
///
/// Source: the FIFO of Hu, Sun, Yan, Wen, Zhang: Characterization and Prediction of Deep Learning
/// Workloads in Large-Scale GPU Datacenters (Helios), SC 2021, is the strict one.
///
/// @param strict whether the first that has no place ends the pass
record FirstInFirstOut(boolean strict) implements BaselinePolicy {
  @Override
  public void pass(BaselineCluster cluster) {
    cluster.waiting().pass(cluster::start, strict);
  }
}
