/// A worked example of a preemption policy in Java: gangs with a deadline are spared as it nears.
@NullMarked
package com.example.deadlines;

import org.jspecify.annotations.NullMarked;
