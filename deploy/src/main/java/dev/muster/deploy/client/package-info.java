/// Commands that show what a running Muster sees: the line, gangs, queues, nodes and preemptions.
@NullMarked
package dev.muster.deploy.client;

import org.jspecify.annotations.NullMarked;
