/// The web pages for browsers: the answers of the API as HTML, without a figure of their own.
@NullMarked
package dev.muster.server.http.screen;

import org.jspecify.annotations.NullMarked;
