import { describe, expect, it } from "vitest";

import { snowballLanguages } from "../../src/text/languages/snowball/snowball-languages.ts";
import { createAnalyzer, defaultAnalyzer } from "../../src/text/analyzer.ts";
import { createLanguageDetector } from "../../src/text/languages/detect-language.ts";
import { hostileTexts } from "./texts.ts";

const snowball = createAnalyzer({ languages: snowballLanguages });
const detect = (text: string): string => snowball.languageOf!(text);

/** Two sentences of our own, or so, in every language that is told apart. */
const samples = {
  ar: "أين توجد المفاتيح التي كانت في هذا الصندوق؟ لا أحد يعرف ذلك حتى الآن.",
  bg: "Ключовете са в чекмеджето, защото това е мястото, където ги оставихме преди да тръгнем.",
  ca: "Les claus són al calaix perquè és el lloc on les vam deixar abans de sortir amb els nens.",
  cs: "Klíče jsou v zásuvce, protože je to místo, kde jsme je nechali, než jsme se vydali na cestu.",
  da: "Nøglerne ligger i skuffen, fordi det er der, hvor vi lod dem ligge, før vi gik ud af huset.",
  de: "Die Schlüssel sind in der Schublade, weil das der Ort ist, an dem wir sie gelassen haben.",
  el: "Τα κλειδιά είναι στο συρτάρι, γιατί εκεί τα αφήσαμε πριν φύγουμε.",
  en: "The keys are in the drawer, because that is where we left them before we went out.",
  es: "Las llaves están en el cajón porque es el lugar donde las dejamos antes de salir con los niños.",
  et: "Võtmed on sahtlis, sest see on koht, kuhu me need enne jätsime, kui ära läksime.",
  eu: "Giltzak kutxan daude, hori da eta utzi ziren lekua, baina ez dira hor izan.",
  fa: "کلیدها در کشو هستند، زیرا این جایی است که ما آنها را پیش از رفتن گذاشتیم و این را همه می‌دانند.",
  fi: "Avaimet ovat laatikossa, koska se on paikka, jossa ne olivat ennen kuin me lähdimme.",
  fr: "Les clés sont dans le tiroir parce que c'est là que nous les avons laissées avant de sortir.",
  ga: "Tá na heochracha sa tarraiceán, mar is é sin an áit ina bhfuil siad ag gach duine.",
  he: "המפתחות הם במגירה כי זה המקום שבו היו לפני שהלכנו, אבל לא כל אחד יודע את זה.",
  hi: "चाबियाँ दराज में हैं क्योंकि यह वह जगह है जहाँ हमने उन्हें छोड़ा था।",
  hu: "A kulcsok a fiókban vannak, mert ez az a hely, ahol hagytuk, mielőtt el kellett menni.",
  hy: "Բանալիները դարակում են, որովհետև այնտեղ ենք թողել։",
  id: "Kunci itu ada di dalam laci karena itu adalah tempat yang kami pakai untuk barang tersebut.",
  it: "Le chiavi sono nel cassetto perché è il posto dove le abbiamo lasciate prima di uscire con i bambini.",
  ja: "鍵は引き出しの中にあります。出かける前にそこに置いたからです。",
  ko: "열쇠는 서랍 안에 있습니다. 나가기 전에 거기에 두었기 때문입니다.",
  lt: "Raktai yra stalčiuje, nes tai yra vieta, kur mes juos palikome prieš tai, kai jie dar buvo čia.",
  ne: "साँचोहरू दराजमा छन् किनभने हामीले ती त्यहाँ राखेको हो र यो सबै कुरा पनि त्यो हो भने हुन्छ।",
  nl: "De sleutels liggen in de la, omdat dat de plek is waar wij ze hebben gelaten voor het vertrek.",
  no: "Nøklene ligger i skuffen, fordi det er der hvor vi lot dem ligge før vi gikk ut av huset etter noen timer.",
  pl: "Klucze są w szufladzie, ponieważ to jest miejsce, w którym je zostawiliśmy, gdy nie było jeszcze nikogo.",
  pt: "As chaves estão na gaveta porque é o lugar onde as deixamos antes de sair com os meninos para a rua.",
  ro: "Cheile sunt în sertar, pentru că acesta este locul unde le-am lăsat înainte să plecăm cu copiii.",
  ru: "Ключи лежат в ящике, потому что это место, где мы их оставили, когда были там.",
  sr: "Кључеви су у фиоци, јер је то место где смо их оставили пре него што су сви отишли за град.",
  sv: "Nycklarna ligger i lådan, eftersom det är där som vi lämnade dem innan vi skulle gå ut med hunden.",
  ta: "சாவிகள் இழுப்பறையில் உள்ளன.",
  th: "กุญแจอยู่ในลิ้นชัก เพราะเป็นที่ที่เราวางไว้",
  tr: "Anahtarlar çekmecede, çünkü çıkmadan önce onları bu yere koyduk ve o zaman ne olduğu daha belli değil.",
  uk: "Ключі лежать у шухляді, тому що це місце, де ми їх залишили, коли були там.",
  ur: "چابیاں دراز میں ہیں کیونکہ یہ وہ جگہ ہے جہاں ہم نے ان کو رکھا تھا۔",
  vi: "Chìa khóa ở trong ngăn kéo, vì đó là nơi chúng tôi đã để lại trước khi ra ngoài.",
  yi: "די שליסלען זענען אין דער שופלאָד, ווייל דאָס איז דער אָרט וווּ מיר האָבן זיי געלאָזט.",
  zh: "钥匙在抽屉里，因为那是我们出门之前放的地方。",
} as const satisfies Readonly<Record<string, string>>;

describe("the language of a text [T29]", () => {
  it("there is a sample of every language with words or rules", () => {
    expect(Object.keys(samples)).toEqual(expect.arrayContaining(Object.keys(snowballLanguages)));
  });

  it.each(Object.entries(samples))("is %s by two sentences", (language, text) => {
    expect(detect(text)).toBe(language);
  });

  it("is that of the prose around code", () => {
    const code = "const { rows } = await pool.query(`SELECT id, name FROM users WHERE id = $1`, [id]);\n".repeat(4);
    expect(detect(`${samples.de}\n\n\`\`\`js\n${code}\`\`\`\n\n${samples.de}`)).toBe("de");
    expect(detect(`${samples.ru}\n${code.slice(0, 80)}`)).toBe("ru");
    expect(detect(`${samples.zh}kubectl get pods`)).toBe("zh");
  });

  it("is decided by beginning, middle and end of a long text", () => {
    const licence = `${samples.en}\n`.repeat(34);
    expect(detect(licence + `${samples.fr}\n`.repeat(300))).toBe("fr");
  });

  it("is unknown where nothing shows it", () => {
    for (const text of [
      "",
      "42",
      "Ada Lovelace",
      "kubectl get pods",
      "A. I. Smith, O. E. Jones",
      "Klüngel",
      "die casting",
    ])
      expect(detect(text)).toBe("");
    expect(detect("Mji mkuu wa nchi hiyo ni mji mkubwa sana")).toBe("");
  });

  it("does not take one language's text for another in the core, which knows fewer", () => {
    for (const language of ["hu", "tr", "vi", "sv", "pl", "id", "lt"] as const)
      expect(defaultAnalyzer.languageOf?.(samples[language])).toBe("");
    for (const language of [
      "en",
      "de",
      "fr",
      "es",
      "it",
      "pt",
      "nl",
      "ru",
      "ar",
      "zh",
      "ja",
      "el",
      "ko",
      "th",
    ] as const)
      expect(defaultAnalyzer.languageOf?.(samples[language])).toBe(language);
  });

  it("looks at so much and no more, whatever the text", () => {
    for (const text of Object.values(hostileTexts(100_000))) expect(typeof detect(text)).toBe("string");
  });

  it("prefers among equals the one that is named first", () => {
    const words = { aa: "uno dos tres", bb: "uno dos tres" };
    expect(createLanguageDetector(words)("uno dos tres")).toBe("aa");
    expect(createLanguageDetector({ bb: words.bb, aa: words.aa })("uno dos tres")).toBe("bb");
  });

  it("between equals says the one whose words fewer others have, wherever it is named", () => {
    const words = { bb: "uno dos cuatro", aa: "uno dos tres", cc: "cuatro" };
    expect(createLanguageDetector(words)("uno dos tres cuatro")).toBe("aa");
    expect(createLanguageDetector({ aa: words.aa, bb: words.bb, cc: "tres" })("uno dos tres cuatro")).toBe("bb");
  });

  it("counts a text by itself, whatever was read before", () => {
    const detect = createLanguageDetector({ aa: "uno dos tres", bb: "cuatro cinco seis" });
    expect(["uno dos tres", "cuatro cinco seis uno dos", "uno dos tres cuatro cinco"].map(detect)).toEqual([
      "aa",
      "bb",
      "aa",
    ]);
  });
});
