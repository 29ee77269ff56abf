/** Two letters of a country, and the other names that chats take for the end of a host without `http`. **Source** ISO 3166-1; the short list of linkify-it. */
const countries =
  "ac ad ae af ag ai al am an ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz " +
  "de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp " +
  "ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om " +
  "pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tp tr tt tv tw tz " +
  "ua ug uk um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw";
const tops =
  `${countries} biz com edu gov net org pro web xxx aero asia coop info museum name shop dev app example рф`.replaceAll(
    " ",
    "|",
  );

const rest = "[^\\s<\\uFDD0-\\uFDD2]*";
const label = "[\\p{L}\\p{M}\\p{Nd}_-]+";
/** An address that renderers make a link of, to the next white space. **Source** GFM's extended autolinks; linkify-it, which also takes hosts and mail addresses alone. */
const candidate = new RegExp(
  [
    `(?<full>(?:[a-z][a-z0-9+.-]{1,31}:[\\\\/]+|(?:mailto|xmpp):|(?<![\\p{L}\\p{Nd}])www\\.|(?<![:/\\p{L}\\p{Nd}])//(?=[^\\s/]*\\.|localhost))${rest})`,
    `(?<mail>(?:[\\p{L}\\p{Nd}._%+-]+|[!#$&'*/=?^{|}~])@${label}(?:\\.${label})+${rest})`,
    `(?<host>${label}(?:\\.${label})*\\.(?:${tops}|xn--[a-z0-9-]+)(?![\\p{L}\\p{M}\\p{Nd}_-])(?:[:/?#]${rest})?)`,
  ].join("|"),
  "giu",
);

/** Where a link, a picture or a definition leads: behind `](` or `]:`. **Source** CommonMark 0.31, link destinations. */
const destination = /\][(:]\s*(?<target><[^<>\n]*>|(?:\\\S|[^\s<>()\\]|\((?:\\\S|[^\s<>()\\])*\))+)/gu;

/** An address in a text, up to the next white space. */
export interface FoundAddress {
  readonly start: number;
  readonly text: string;
  /** A host or a file's name, which only some renderers make a link of. */
  readonly isHost: boolean;
}

/** Every stretch of a text that a renderer may make a link of, without the marks of one. **Cost** linear. */
export function* findBareAddresses(text: string): Generator<FoundAddress> {
  for (const { index, 0: found, groups } of text.matchAll(candidate))
    yield { start: index, text: found, isHost: groups?.["host"] !== undefined };
}

/**
 * Every address that a text holds, as it stands there: bare, and as the destination of links.
 *
 * **Cost** linear.
 */
export function* findAddresses(text: string): Generator<string> {
  for (const { text: found } of findBareAddresses(text)) {
    const plain = found.slice(0, endOfAddress(found));
    yield trimAddress(plain);
    if (plain.endsWith(")")) yield trimAddress(plain.replace(/\)+$/u, ""));
  }
  for (const { groups } of text.matchAll(destination)) {
    const target = unwrap(groups?.["target"] ?? "");
    if (target !== "") yield target;
  }
}

/** Where an address ends at the latest: before brackets, quotation marks and full-width punctuation that nobody writes in one. */
export function endOfAddress(text: string): number {
  let depth = 0;
  // A mail address may begin with one of them.
  for (let at = 1; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === "(") depth += 1;
    if (character === ")" && (depth -= 1) < 0) return at;
    if (/[>"'`[\]{}|“”‘’«»‹›…，。；：！？、（）「」『』【】《》]/u.test(character)) return at;
  }
  return text.length;
}

/** An address without what ends the sentence or the emphasis that it stands in. */
export function trimAddress(address: string): string {
  return address.replace(/[.,;:!?*_~]+$/u, "");
}

/** A destination without its angle brackets. */
export function unwrap(target: string): string {
  return target.startsWith("<") ? target.slice(1, -1).trim() : target;
}

/** Whether a destination names a scheme or a host: anything but a path. **Source** WHATWG URL, which skips tabs and newlines and takes `\` for `/`. */
export function leadsElsewhere(address: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/iu.test(address.replaceAll(/[\0-\x20\x7F]/gu, ""));
}
