/// The contents of the pages of the API: what one caller sees of one image.
@NullMarked
package dev.muster.server.http.page;

import org.jspecify.annotations.NullMarked;
