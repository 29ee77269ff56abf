const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Elements without content. **Source** HTML standard, 13.1.2. */
export const voidElements = words(
  "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr",
);

/** Elements that may stand in a head; anything else ends it. **Source** HTML standard, 13.2.6.4.4. */
export const headElements = words("base basefont bgsound link meta noframes script style template title noscript");

/** Elements that say nothing about structure: without an attribute that hides them they leave no event. */
export const phrasing = words(
  "a abbr acronym b bdi bdo big center cite data del dfn em font i ins kbd label mark nobr q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u var wbr",
);

/** Phrasing that is read in a way of its own. */
export const readApart = words("rp rt");

/** Elements that are never read: code, media, form controls, and what only browsers without features show. */
export const skipped = words(
  "applet audio button canvas datalist embed frame frameset iframe input map meter noembed noframes noscript object optgroup option progress rp script select style svg template textarea title video",
);

/** Elements whose start ends an open paragraph. **Source** HTML standard, 13.2.6.4.7 ("close a p element"). */
export const endsParagraph = words(
  "address article aside blockquote center details dialog dd dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul",
);

/** Elements that stand apart with space around them. */
export const apart = words(
  "address article aside blockquote body caption center details dialog dir dl fieldset figcaption figure footer form header hgroup main menu nav ol p pre search section summary table td th ul",
);

/** Elements that begin on a line of their own, without space around them. */
export const ownLine = words("div li dt dd tr thead tbody tfoot optgroup option legend");

/** Elements in which a header, footer or aside belongs to the text and not to the page. **Source** HTML-AAM, landmark roles. */
export const sectioning = words("article main section blockquote");

/** `h1` to `h6`. */
export const isHeading = (tag: string): boolean => tag.length === 2 && tag[0] === "h" && tag >= "h1" && tag <= "h6";

/** Elements whose presence tells a text from a menu. */
export const prose = (tag: string): boolean =>
  tag === "p" || tag === "table" || tag === "pre" || tag === "blockquote" || isHeading(tag);
