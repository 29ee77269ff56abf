/** Tags of one language that has several: Norwegian's two written forms, what ISO 639 renamed, and the standards of one Serbo-Croatian. */
const sameLanguage: Readonly<Record<string, string>> = {
  nb: "no",
  nn: "no",
  in: "id",
  iw: "he",
  ji: "yi",
  bs: "sr",
  hr: "sr",
  sh: "sr",
  cnr: "sr",
  cmn: "zh",
  yue: "zh",
  zsm: "ms",
};

/** The three-letter codes that catalogues and e-books write, for the languages that have a two-letter one and rules here. */
const twoLetters: Readonly<Record<string, string>> = Object.fromEntries(
  `ara:ar arm:hy hye:hy baq:eu eus:eu cat:ca chi:zh zho:zh cze:cs ces:cs dan:da dut:nl nld:nl eng:en est:et fin:fi fre:fr fra:fr ger:de deu:de gle:ga gre:el ell:el
  heb:he hin:hi hun:hu ind:id ita:it jpn:ja kor:ko lit:lt nep:ne nor:no nob:no nno:no per:fa fas:fa pol:pl por:pt rum:ro ron:ro rus:ru spa:es srp:sr hrv:sr bos:sr
  swe:sv tam:ta tha:th tur:tr ukr:uk urd:ur vie:vi yid:yi bul:bg`
    .split(/\s+/u)
    .map((pair) => pair.split(":") as [string, string]),
);

/**
 * The language of a tag, without script, region or variant, in the one form that is used here: `en` of `en-GB`, `no` of `nb_NO`.
 *
 * **Shape** two or three small letters; `""` for what is no tag, and for `und`, which says that nobody knows. Idempotent.
 * **Source** BCP 47 (RFC 5646), ISO 639.
 */
export function languageOfTag(tag: string): string {
  const first = /^([A-Za-z]{2,3})(?:[-_][A-Za-z0-9_-]{0,60})?$/u.exec(tag.trim())?.[1]?.toLowerCase() ?? "";
  if (first === "und" || first === "mul" || first === "zxx") return "";
  const short = twoLetters[first] ?? first;
  return sameLanguage[short] ?? short;
}
