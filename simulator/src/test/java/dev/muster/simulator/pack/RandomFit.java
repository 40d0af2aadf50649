package dev.muster.simulator.pack;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Chooses any node that fits, and any of its GPUs that fit a part.
///
/// @param random the source of chance
record RandomFit(Random random) implements Packer {
  @Override
  public boolean put(PackPod pod, List<PackNode> boxes) {
    List<PackNode> fitting = boxes.stream().filter(box -> box.fits(pod)).toList();
    if (fitting.isEmpty()) {
      return false;
    }
    PackNode box = fitting.get(random.nextInt(fitting.size()));
    if (pod.devices() == 1) {
      List<Integer> gpus = new ArrayList<>();
      for (int gpu = 0; gpu < box.milli.length; gpu++) {
        if (box.milli[gpu] >= pod.milli()) {
          gpus.add(gpu);
        }
      }
      box.put(pod, gpus.get(random.nextInt(gpus.size())));
    } else {
      box.put(pod);
    }
    return true;
  }
}
