package dev.muster.simulator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.kit.Mangled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// A damaged list of nodes is read, or refused with the name of its file.
final class MangledFleetTest {
  private static final List<String> SAMPLES =
      List.of(
          """
          apiVersion: simulator.muster.dev/v1
          kind: Fleet
          levels:
            - {name: block, label: example.com/block}
          pools:
            - name: big
              count: 4
              gpus: 8
              model: H100
              cpu: 96
              memory: 1Ti
              nodesPer: {block: 2}
              pricePerHour: 12.5
              joinDelay: 5m
          """,
          "sn,cpu_milli,memory_mib,gpu,model\nn-0,64000,2048,2,P100\nn-1,96000,512,0,\n",
          "gpu_model,gpu_capacity_num,cpu_num,node_name\nA10,1,128,7\n",
          "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n2,3,4,64,256\n",
          "vc,node num\nalpha,2\nbeta,1\n",
          """
          {"format":"muster-fleet/v1","levels":[{"name":"rack","label":"example.com/rack"}]}
          {"name":"n","gpus":8,"model":"H100","allocatable":{"cpu":8000,"memory":1024}}
          """);

  @Property(tries = 1000)
  void mangled_fleet_is_read_or_refused(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    Path file = Files.createTempFile("mangled", ".fleet");
    try {
      Files.write(file, Mangled.of(SAMPLES.get(random.nextInt(SAMPLES.size())), random));
      Fleets.of(file.toString());
    } catch (MalformedFile | IllegalArgumentException bad) {
      assertThat(bad).hasMessageContaining(file.toString());
    } finally {
      Files.delete(file);
    }
  }
}
