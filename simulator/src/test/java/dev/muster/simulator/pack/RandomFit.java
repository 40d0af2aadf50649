package dev.muster.simulator.pack;

import java.util.SplittableRandom;

/// Chooses any node that fits.
///
/// @param random the source of chance
record RandomFit(SplittableRandom random) implements Packer.Score {
  @Override
  public double of(PackNode box, PackPod pod) {
    return random.nextDouble();
  }
}
