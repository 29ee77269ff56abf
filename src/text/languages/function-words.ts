/**
 * Function words of sentences and questions on any subject.
 *
 * Two uses: they tell which language a text is in (`detect-language.ts`), and a question loses them before its words are looked up.
 *
 * **Shape** by language, separated by white space, not folded. Scripts without spaces have pieces that give the analyzer's pairs of characters.
 * **Source** ibid's choice: articles, pronouns, auxiliaries, prepositions, conjunctions and question words; words with a subject of their own
 * are left out. The longer lists belong to measured languages. English contractions come from Snowball's list of stop words.
 */
export const functionWords: Readonly<Record<string, string>> = {
  en: `a about after all also am an and any are as at be because been before being but by can could did do does doing done during each for from get give given gives had has have
    having he her him his how i if in into is it its just know like made make makes many may me mean means might more most much must my need name no not of on one only or other our out over own per
    please shall she should show so some such take tell than that the their them then there these they this those through to too under until up upon us use used uses using very via want was we were what
    when where whether which while who whom whose why will with within without would you your
    i'm you're we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't won't wouldn't
    shouldn't can't cannot couldn't`,
  de: `ab aber alle als am an auch auf aus bei beim bin bis da damit das dass dem den denn der des die dies diese diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es für gegen gibt
    haben hat hatte hatten ich ihm ihn ihr ihre im in ist kann kein keine können machen man mein mich mir mit muss müssen nach nicht noch nur oder ohne seit sein seine sich sie sind so soll
    sollen über um und uns unter viel viele vom von vor waren wann war warum was welche welchem welchen welcher welches wem wen wenn wer werden weshalb wessen weswegen wie wieso wieviel will wird wo wobei wodurch wofür wogegen
    woher wohin womit wonach woran worauf woraus worden worin worüber worum wovon wovor wozu wurde wurden wir zu zum zur zwischen`,
  fr: `à a ai as au auquel aux avec avez avoir car ce ces cet cette combien comme comment dans de des du duquel elle en est et être faire faut fut il ils je la laquelle le lequel les lesquelles lesquels leur leurs lui mais me mes mon
    ne nous on ont ou où par pas peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sur ta te tu un une vous y était`,
  es: `a al algo como cómo con cual cuál cuáles cuando cuándo cuánta cuántas cuánto cuántos de del desde donde dónde dos el él ella ellos en entre era eran es esa ese eso esta está este esto estos fue fueron
    ha hace hacer hay la las le les lo los mas más me mi muy ni no nos o para pero por porque puede puedo que qué quien quién quiénes se ser si sin sobre son su sus también te tiene tu un una uno y ya`,
  it: `a ad al alla alle anche c che chi ci come con cosa cui da dal dalla degli dei del della delle di dove e è ed era erano fa fu furono gli ha hanno i il in io la le lo ma mi nel nella non o per perché più può quale
    quali quando quanta quante quanti quanto questa questo si sono su sua sul suo tra un una uno`,
  pt: `a ao aos as até com como da das de do dos e é ela ele eles em entre era essa esse esta este eu foi foram há isso já mais mas me meu muito na não nas no nos o onde ou os para pela pelo por porque posso pode
    quais qual quando quanta quantas quanto quantos que quê quem se sem ser seu sua são também tem um uma você`,
  nl: `aan al als bij dan dat de deze die dit doen door dus een en er had heb hebben heeft het hij hoe hoelang hoeveel ik in is je kan kun kunnen maar me met mijn moet na naar niet nog of om onder ook op over te tot uit
    van veel voor waar waaraan waardoor waarin waarmee waarom waarop waarover waaruit waarvan waarvoor wanneer waren was wat welk welke werd werden wie wiens wij worden wordt ze zich zij zijn zo`,
  ru: `а без бы был была были было быть в вам вас во вот все вы где для до его ее если есть еще же за зачем и из или им их к как какая какие какое какой когда кого кому кто куда ли мне мы на над не нет но о об он она они оно от откуда
    по под почему при про с сколько со так такое там то только у уже чего чей чем что чтобы чья чьи эта эти это этот я`,
  ar: `أن أو أي أية أين إلى التي الذي الذين أنا أنت إذا إن بعد بين تم ثم حتى حول دون ذلك على عن عند عندما في فيها فيه قبل قد كان كانت كم كما كيف لا لم لماذا لن له لها لو ليس ما ماذا متى مع من منذ نحن هذا هذه هل هم هناك هو هي و وهو وهي يتم يكون`,
  zh: `什么 甚么 怎么 怎样 如何 多少 几个 哪个 哪些 哪里 哪儿 哪一 哪种 谁的 为什 为何 何时 是否 是谁 是什 有什 么时 时候 有多 的是 是的 了多 可以 什麼 怎麼 多久 请问 吗 呢 吧 的 了 是 在 和 与 及 或 谁 几 哪`,
  ja: `です ます した して する され いる ある こと もの どの どこ どう いつ なぜ なに 何が 何を 何で 誰が 誰の 誰を でし した ました ますか ですか の は が を に で と も か`,
};
