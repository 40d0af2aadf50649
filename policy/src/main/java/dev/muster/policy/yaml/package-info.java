/// YAML texts read strictly: every field keeps its place, and every problem names file, line and
/// column.
@NullMarked
package dev.muster.policy.yaml;

import org.jspecify.annotations.NullMarked;
