/** A way of writing: which letters beyond ASCII a language uses, and the encodings that its texts come in. */
export interface Alphabet {
  /** Letters beyond ASCII, in lower case, the most frequent first. */
  readonly letters: string;
  /** Further characters that its texts may hold at times. */
  readonly seldom?: string;
  /** Names as the Encoding Standard has them. */
  readonly encodings: readonly string[];
  /** The letters of ASCII that stand among these in its words, the most frequent first. Absent where words are written without any. */
  readonly ascii?: string;
  /** How often such texts come without saying their encoding, as a natural logarithm relative to the commonest. */
  readonly prior: number;
}

const latin = (ascii: string, letters: string, encodings: string, prior: number, seldom = ""): Alphabet => ({
  ascii,
  letters,
  seldom,
  encodings: encodings.split(" "),
  prior,
});
const own = (letters: string, encodings: string, prior: number, seldom = ""): Alphabet => ({
  letters,
  seldom,
  encodings: encodings.split(" "),
  prior,
});

const western = "windows-1252";
const central = "windows-1250 iso-8859-2";
const cyrillic = "windows-1251 koi8-r ibm866 iso-8859-5";

/**
 * Languages whose texts are still met in encodings of one byte a character.
 *
 * **Source** exemplar characters of the Unicode CLDR; their order by how frequent each letter is in running text.
 */
export const alphabets: readonly Alphabet[] = [
  latin("esaitnrulodcpmvqfbghjxyzkw", "éèàêçôîùûâëïœ", western, 0, "üñæÿ"),
  latin("enisratdhulcgmobwfkzpvjyxq", "üäöß", western, 0, "é"),
  latin("eaosrnidlctumpbgvyqhfzjxwk", "óíáéñú", western, 0, "ü¿¡ºªç"),
  latin("aeosrindmutclpvghqbfzjxkwy", "ãçéáóíêõâúà", western, 0, "ôüºª"),
  latin("eaionlrtscdupmvghfbqzkjxyw", "èàòùìé", western, -0.5, "îó"),
  latin("eanrtsildomkgvfhupbcyjxwzq", "äåö", western, -0.3, "éà"),
  latin("enrtaidslogkmfvubphjycxwzq", "øåæ", western, -0.5, "éòäöó"),
  latin("enatirodslghvkmubpwjczfxyq", "éëïóö", western, -1, "èêüáí"),
  latin("anriteslugmkfvhdobpjyxcwzq", "íáðéóúæöýþ", western, -1),
  latin("eaisrlntodcumpvbgqfxhjyzkw", "àéèíòóçúï", western, -1.5, "ü·"),
  latin("ainhesrcltogdumbfpvjkqwxyz", "éáíóú", western, -1.5),
  latin("etianrshmukdlopjgbvfqyzxcw", "ëç", western, -2),

  latin("iaeoznrswcytkdpmujlbghfvqx", "łąęóżśćńź", central, 0),
  latin("oentavsilkrdpmuzjyhcbgfxwq", "íáěéýřčžšůúťňďó", central, 0),
  latin("aoenistvrklmdpuchzjybgfxwq", "áíčžšéýúťľňôäďóŕĺ", central, -0.8),
  latin("etanlskriozmgdvbyjhupfcwxq", "áéőöóüíúű", central, -0.2),
  latin("aioenrjstukdvmplgzbchfqwxy", "čšžćđ", central, -0.5),
  latin("eiarntulcosdpmfvgbzhjxkywq", "ăîâşţ", central, -0.6),

  latin("aenrlikdmtuysobghzpcvfjqwx", "ıüşğçöİ", "windows-1254", -0.5, "âî"),
  latin("aisterunkmodlpvzgjbcfhqwxy", "āīšēūņļžķģč", "windows-1257", -0.7),
  latin("iasotrenukmlpdvgjybczfhqwx", "ėšųžįūčąę", "windows-1257", -0.7),
  latin("aiesltunkdmorvgpjhbfzcqwxy", "äõüö", `windows-1257 ${western}`, -0.8, "šž"),
  latin("nhticgamuoeylrdpsvbqkxfjzw", "đưăâêôơ\u0301\u0300\u0309\u0303\u0323áàéèíóúù", "windows-1258", 0),

  own("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", cyrillic, 0),
  own("оаинвіртескдлмупязьгбчхйцшєжюїщфґ", "windows-1251 koi8-u", -0.6),
  own("аоиетнрсвлкдпмзяъубчгщжцхйшюьф", "windows-1251 iso-8859-5", -0.8),
  own("аеноілрсткыумвдупяьзгйбўчцжшэхюёфі", "windows-1251", -1.5),
  own("аоиенрстјувдкмплзгбшчцхжљњћђфџ", "windows-1251 iso-8859-5", -1.2),
  own("αοιετσνηυρπκμλςωάίόέήγδθφχύβώξζψϊϋΐΰ", "windows-1253 iso-8859-7", 0),
  own(
    "יוהלאתרשבמנםדקחעפטגסזכצןךףץ",
    "windows-1255",
    0,
    "\u05B0\u05B1\u05B2\u05B3\u05B4\u05B5\u05B6\u05B7\u05B8\u05B9\u05BB\u05BC\u05C1\u05C2",
  ),
  own(
    "اليمونرتبةعدسفهكقحجشطصخإأىذزئءضغؤثآظـ",
    "windows-1256 iso-8859-6",
    0,
    "\u064B\u064C\u064D\u064E\u064F\u0650\u0651\u0652،؛؟",
  ),
  own("ایرندمتوهسکبلزشپگفقخعآجحچطصضذغژثظئءأؤ", "windows-1256", -1, "،؛؟\u200C"),
  own(
    "\u0E32\u0E23\u0E19\u0E2D\u0E01\u0E40\u0E07\u0E21\u0E48\u0E22\u0E31\u0E25\u0E27\u0E49\u0E14\u0E17\u0E34\u0E2A\u0E15\u0E30\u0E35\u0E1B\u0E1A\u0E04\u0E2B\u0E41\u0E08\u0E1E\u0E38\u0E0A\u0E02\u0E43\u0E44\u0E37\u0E4C\u0E39\u0E47\u0E42\u0E1C\u0E16\u0E2D\u0E0B\u0E28\u0E18\u0E33\u0E13\u0E1F\u0E29\u0E1D\u0E20\u0E2E\u0E0D\u0E06\u0E10\u0E09\u0E2F\u0E4D\u0E12\u0E24\u0E0E\u0E11",
    "windows-874",
    0,
    "\u0E50\u0E51\u0E52\u0E53\u0E54\u0E55\u0E56\u0E57\u0E58\u0E59\u0E3F\u0E46",
  ),
];

/** A script of many signs, in encodings of one or two bytes a character. */
export interface SignScript {
  readonly encoding: string;
  /** The signs that make up about a third of running text. */
  readonly frequent: string;
  /** First bytes of the signs that the standard counts as everyday ones. */
  readonly everyday: readonly [from: number, to: number];
  readonly prior: number;
}

const han =
  "的一是不在人有我他中大上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市";
const hanTraditional =
  "的一是不在人有我他中大上個國到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可里後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市";
const kanji =
  "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備宅害配副算視条幹独警宮究育席輸訪楽起万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落欧担好退準賀訴辺造英被株頭技低毎医復仕去姿味負閣韓渡失移差衆個門写評課末守若脳極種美岡影命含福蔵量望松非撃佐核観察整段横融型白深字答夜製票況音申様財港識注呼渉達名古屋前髙橋太郎";
const hangul =
  "이다는의에을가지고하한로도사아어기를은그대서인자나리시라있해부정으일수만들전스보여과장주제상것게구오비우공조성면경선연원동치무유미마용내러분세중신할드위거문방실소야국생모관교계적간안화각행물저바차진트발산달본양학니회재결입요당심데운식았었없했된말던때년명";

/** **Source** the rows of JIS X 0208, GB 2312, Big5 and KS X 1001, whose first level each standard chose by frequency. */
export const signScripts: readonly SignScript[] = [
  { encoding: "shift_jis", frequent: kanji, everyday: [0x88, 0x98], prior: 0 },
  { encoding: "euc-jp", frequent: kanji, everyday: [0xb0, 0xcf], prior: -1 },
  { encoding: "gb18030", frequent: han, everyday: [0xb0, 0xd7], prior: 0 },
  { encoding: "big5", frequent: hanTraditional, everyday: [0xa4, 0xc6], prior: -0.5 },
  { encoding: "euc-kr", frequent: hangul, everyday: [0xb0, 0xc8], prior: -0.5 },
];
