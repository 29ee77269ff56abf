/** Small letters, as a class holds them. The class `\p{L}` takes twenty times as long to compile, and these patterns hold it some hundred times. */
const letters = "a-zß-öø-ɏͰ-῿぀-퟿";
/**
 * Alternatives of a pattern, which end as whole words.
 *
 * **Source** our own choice of all words and forms here, of how documentation points in English and German.
 */
const any = (words: string): string => `(?:${words.trim().replaceAll(/\s*\n\s*/gu, "|")})(?![${letters}\\d-])`;
const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`, "u");

/** A link within the documentation, as {@link plainOf} leaves it; then any link. */
const inner = "⟦[^⟧]*⟧";
const link = "(?:⟦[^⟧]*⟧|⟪[^⟫]*⟫)";
/** Works that readers are sent to. */
const works = `(?:${link}|${any(`
  guides?|manuals?|handbooks?|tutorials?|documentation|docs?|reference|readme|faq|wiki|appendix|how-?tos?|walkthroughs?|runbooks?|playbooks?|cookbook|instructions|chapters?
  anleitung(?:en)?|leitfaden|[${letters}]*handbuch|dokumentation|doku|anhang|kapitel
`)})`;
/** These are parts of programs as well. */
const pages = any(`
  pages?|sections?|articles?|overview|topics?|posts?
  seiten?|[${letters}]+seite|abschnitt|artikel|übersicht|beitrag|thema
`);
const worksOrPages = `(?:${works}|${pages})`;

const described = any(
  "described|documented|explained|elaborated on|beschrieben|dokumentiert|erklärt|erläutert|nachzulesen|nachlesbar",
);
/** These are said of other things as well. */
const treated = any(`
  covered|discussed|detailed|outlined|addressed|treated|illustrated|found|listed|shown|given|available|provided|collected|summari[sz]ed|published
  behandelt|dargestellt|besprochen|ausgeführt|zu finden|aufgeführt|verfügbar|enthalten|gesammelt|zusammengefasst
`);
const describes = any(`
  describes?|explains?|covers?|discuss(?:es)?|outlines?|walks|goes into|deals with|teaches|tells
  beschreibt|dokumentiert|erklärt|erläutert|behandelt
`);
const holds = any(
  "has|have|holds?|lists?|contains?|gives?|provides?|offers?|shows?|answers?|enthält|bietet|nennt|zeigt|hat|liefert",
);
const matter = `(?:${any(`
  more|further|additional|full|complete|detailed|details?|information|info|instructions?|steps|examples?|explanations?|descriptions?|guidance|help|reading|background|particulars|everything
  mehr|näheres|weiteres|genaueres|einzelheiten|informationen|infos|hinweise|anweisungen|beispiele?|beschreibung|erklärung|alles|weitere[sn]?|ausführliche[sn]?|eine|genaue
`)}\\s*)+`;
const asks = any("how|what|why|when|where|which|wie|was|warum|wann|wo|welche[rsnm]?");
const where = any(
  "in|under|on|at|below|above|here|there|elsewhere|separately|within|via|through|over|unten|oben|hier|dort|unter|auf|bei|im|am|anderswo|gesondert",
);
const topic = any("on|about|for|of|to|in|that|which|with|zu|über|für|von|zum|zur|die|der|das");
const find = any("you(?:['’]ll| will| can| may)?(?: also)? (?:find|read|learn)|finden sie|erfahren sie|findest du");
const be = any("is|are|was|were|be|been|ist|sind|wird|werden|wurden?");
const few = `(?:(?:[${letters}'’-]+|${link})\\s+){0,4}?`;
const article = `(?:${any("the|our|this|that|its|these|an?|another|der|die|das|den|dem|diese[rsmn]?|unsere[rnms]?|eine?[rnms]?")}\\s+)?`;

/** An aim, a condition or a topic before an imperative. */
const aim = `(?:${any("for|on|about|regarding|concerning|as for|zu|für|über|zum|zur|hierzu|dazu")}[^;:]*?,?\\s+|${any(`
  to|in order to|if|when|whenever|before|after|once|should|um|wenn|falls|bevor|nachdem|sobald
`)}[^,;:]*,\\s+|${asks}[^,;:]*[,:]\\s+)?(?:${any("also|then|please|first|so|you can|you may|you should|bitte|auch|dann|zuerst")}\\s+)*`;

const subject = `(?:${aim}|)[^,;:]*?`;

/** Each is a pointer, whatever stands at its dots. */
const forms = [
  // For how to renew certificates, see the page on certificates.
  `${aim}${any("see(?: also)?|refer(?: back)? to|consult|(?:have|take) a (?:closer |quick )?look (?:at|in|into)|check out|siehe(?: auch)?|vgl\\.|vergleiche|vergleichen sie|s\\.")}(?!\\s+${any("that|whether|if|dass|ob")}).*`,
  `${aim}${any("werfen sie|wirf")}\\s+(?:[${letters}]+\\s+)?einen blick .*`,
  `${aim}${any("read|look (?:at|in|into|up|under)|learn|find out|turn to|lesen sie|lies|sehen sie|sieh|schauen sie|schau|beachten sie|konsultieren sie")}[^:;]*${worksOrPages}[^:;]*`,
  // Go to the guide on certificates.
  `${aim}${any("go(?: over| on)? to|head(?: over)? to|jump to|visit|follow|continue (?:with|to|at)|proceed to|start with|folgen sie|besuchen sie|gehen sie zu")}\\s+${article}${few}(?:${works.replace(link, inner)})(?:\\s+${topic}.*)?`,
  `${aim}${any("check|browse")}\\s+${article}${few}(?!${link})${works}(?:\\s+${topic}.*)?`,
  // Renewal is described in the handbook.
  `${subject}${be}\\s+${few}${described}(?:\\s+[${letters}]+){0,3}?\\s+${where}.*`,
  `${subject}${be}\\s+${where}\\s.*${described}`,
  `${subject}${be}\\s+${few}${treated}(?:\\s+[${letters}]+){0,3}?\\s+${where}.*${worksOrPages}.*`,
  `${subject}${be}\\s+${where}\\s.*${worksOrPages}.*${treated}`,
  `${subject}${any("is|are|gibt es|stehen|steht|findet sich|finden sich|findest du|finden sie|lesen sie|erfahren sie")}\\s+${where}\\s+${article}${few}${works}(?:\\s+${topic}.*)?`,
  `(?:${any("also|further|fully|auch|ausführlich")}\\s+)?(?:${described}|${treated})\\s+${where}.*`,
  // More in the guide. Details: the guide.
  `${matter}(?:${any("on|about|for|of|to|with|regarding|zu|zum|zur|dazu|hierzu|darüber|davon|über")}[^.;]*)?(?:${any("can be|is|are|finden sich|findet sich|gibt es|stehen|steht|finden sie|ist|sind")}\\s*)?(?:${any("found|available|given|provided|zu finden")}\\s*)?(?:${where}.*|:\\s*${article}${few}(?=${link}))(?:${worksOrPages}|${any("here|below|above|there|elsewhere|hier|unten|oben|dort")}).*`,
  // You can find more there. We describe it in the guide.
  `${aim}${find}\\s+(?:${matter}|${asks}).*`,
  `(?:${aim}|[^,]*\\s)${find}\\s.*${where}\\s+${article}${few}${works.replace(link, inner)}(?:\\s+${topic}.*)?`,
  `(?:.*\\s)?${any("we(?:['’]ll| will| have)?(?: also)? (?:described?|explain(?:ed)?|cover(?:ed)?|document(?:ed)?|discuss(?:ed)?)")}\\s.*${where}.*`,
  // There is a guide on certificates. Certificates have a page of their own.
  `${any("there(?: is| are|['’]s)|we (?:have|provide|maintain)|es gibt|wir haben")}\\s+${few}${worksOrPages}\\s+${any("on|about|for|that|which|zu|über|für|zum|zur|die|das")}.*`,
  `${subject}${any("has|have|hat|haben")}\\s+${any("its|their|an?|eine?|seinen?|seine|ihre")}\\s+(?:${any("own|separate|eigene[nsr]?")}\\s+)?${worksOrPages}(?:\\s+of (?:its|their) own)?`,
  // The guide explains how to renew certificates.
  `${article}${few}${worksOrPages}(?:\\s+${topic}\\s+(?:\\S+\\s+){0,6}?\\S+|\\s+[${letters}]+)?\\s+(?:[${letters}]+ly\\s+|also\\s+|ausführlich\\s+)?(?:${describes}|${holds}\\s+(?:you\\s+)?(?:${matter}|${asks})).*`,
  // Announcements.
  `${any("for (?:more|further|details|an? (?:example|overview|list))")}.*`,
  `${any("(?:to )?(?:learn|find out) (?:how|more|about)")}.*`,
  `${any("(?:this|the following|the next) (?:page|section|guide|chapter|article|tutorial)")}.*`,
  `${any("here (?:is|are)|let['’]s")}.*`,
].map(whole);

/** A longer sentence says something. **Units** UTF-16, before marks are taken off. */
const longestPointer = 400;

/** Links in brackets; without marks, labels, list signs and emphasis. */
function plainOf(sentence: string): string {
  return sentence
    .replaceAll(/!?\[([^\]\n]{0,200})\](?:\(([^)\n]{0,500})\)|\[[^\]\n]{0,100}\])?/gu, (_, text: string, target = "") =>
      /^(?:\w+:)?\/\//u.test(target as string) ? `⟪${text}⟫` : `⟦${text}⟧`,
    )
    .replaceAll(/<?https?:\/\/[^\s>]{1,500}>?/gu, "⟪⟫")
    .replaceAll(/(?<!\S)[\w./-]{1,100}\.(?:mdx?|html?|rst|pdf|docx?)(?![\w/])/gu, "⟦⟧")
    .replaceAll(/[*_`"“”„]/gu, "")
    .replace(/^[\s>]*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?[\s(]*/u, "")
    .replace(/^(?:note|tip|hint|info|hinweis|tipp|achtung)\s*[:!]\s*/iu, "")
    .replaceAll(/[\s.!;:)→»…]+$/gu, "")
    .replaceAll(/\s+/gu, " ");
}

/** Whether a sentence only sends its reader elsewhere, announces what comes, or is nothing but links. */
export function isPointer(sentence: string): boolean {
  if (sentence.length > longestPointer) return false;
  const plain = plainOf(sentence).toLowerCase();
  return isLinksOnly(plain) || forms.some((form) => form.test(plain));
}

const joining =
  /(?<![\p{L}\p{N}])(?:and|or|also|see|related|next|previous|read|more|the|und|oder|auch|weiter|siehe|mehr)(?![\p{L}\p{N}])/gu;

/** Links, and no words but those that join them. */
function isLinksOnly(plain: string): boolean {
  const rest = plain.replaceAll(new RegExp(link, "gu"), " ").replaceAll(joining, " ");
  return rest !== plain && plain.search(/[⟦⟪]/u) !== -1 && !/[\p{L}\p{N}]/u.test(rest);
}
