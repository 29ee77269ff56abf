/**
 * Function words of languages outside the core's list (`text/languages/function-words.ts`), so that their texts are detected and their questions
 * lose them too.
 *
 * **Shape** and **Source** as there.
 */
export const moreFunctionWords: Readonly<Record<string, string>> = {
  sv: `alla att av blev bli blir de dem den denna deras dess det detta dig din du där efter eller en ett finns från få för genom ha hade han har hennes hon hur här i inte jag kan kunde man med mellan men
    mot mycket när någon något några och om på sedan sig sin sina ska skulle som så till under upp ut utan var varför varje vad vara vem vems vi vid vilka vilken vilket är än åt över`,
  da: `af alle at blev blive bliver da de dem den denne der deres det dette dig du efter eller en er et for fordi fra få før gennem ham han har have havde hende her hun hvad hvem hvilke hvilken hvilket hvis hvor hvordan
    hvorfor hvornår i ikke jeg kan kunne man med meget mellem men mod mod når noget nogle nogen og om op over på sig sin skal skulle som så til ud uden under var ved vi vil være`,
  no: `alle at av ble bli blir da de dem den denne der deres det dette deg du eller en er et etter for fordi fra få før gjennom ham han har ha hadde henne her hun hva hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor
    i ikke jeg kan kunne man med meg mellom men mot mye når noe noen og om opp over på seg sin skal skulle som så til ut uten under var ved vi vil være`,
  fi: `ei eivät että ennen he hän hänen ja jo joka jos jossa jota jotka kanssa koska kuin kuinka kuka kun kuten me mihin mikä milloin minkä minä missä mistä mitkä mitä miksi miten mukaan mutta myös ne niiden niin noin
    ole oli olivat olla on ovat paljonko se sekä sen siitä siinä sitä sinä tai tämä tämän tässä tätä voi vain vaan välillä`,
  et: `aga ära ei ega ehk enne et ja ka kas kes kelle kui kuid kuidas kuhu kus kust kõik läbi ma me miks millal millest milline mis mida mitu nad need neid nende ning oli olid olla oma on palju peale pole sa saab see seda selle
    selles siis ta te tema tuleb või välja vahel üle`,
  hu: `a az azt azok abban aki ami amely amelyek csak de egy egyik el ennek és ezt ez ezek fel ha hány hogy hogyan hol honnan hová is itt ki kik kell le lehet lesz ma már meg mely melyik mert mi mit miért mikor milyen minden
    mint mellett még nagyon nem nincs ő pedig s sem szerint után vagy van vannak volt voltak`,
  ro: `a ai al ale am ar are as au avea ca că câte câți ce cea cei cel cele când care cărei căror cât către cine cu cui cum da dar de decât deci despre din după dintre ea ei el ele era erau este eu face fi fie fost iar în în îi își
    la le li lor lui mai mult ne ni nici nu o ori pe pentru poate prin sa sau său se sub sunt să spre și te tot un una unde unei unor unui va ce vor`,
  ca: `a al als amb aquest aquesta aquests aquestes això com d de del dels des després doncs el ella ells els en entre era és està estan ha han hi ho i l la les li els llur més molt na ni no o on per perquè però pot qual quals quan quant
    quants que què qui se sense ser seu seva seus si sobre són també té un una unes uns va van`,
  eu: `al ala are baina bai bat batean batzuk bere beren bezala da dago daude de den dira dituen du dute dutena edo egin egiten egon ere eta ez gabe hau hauek hori izan izango izaten noiz nola non nondik nor nora nork zein zenbat zer
    zergatik zuen ziren zen`,
  ga: `a ach ag agus an ar as bhí bhfuil bíonn cad cá cathain cén cé chuig conas dá de den do don faoi fad freisin gach gan go gur i iad idir in is ná na ní níl nó nuair ó raibh roimh sa san sé seo sí sin siad tá táthar thar trí`,
  id: `ada adalah agar akan antara apa apakah atas atau bagaimana bagi bahwa bisa dalam dan dapat dari dengan di dia ia ini itu jika juga kami kapan karena ke kepada kita mana mengapa mereka namun oleh pada para saat saja sampai sangat
    saya sebagai sebuah secara seorang seperti serta setelah siapa sudah telah tentang tersebut tidak untuk yaitu yang`,
  lt: `ant apie ar arba bei bet buvo būti dėl iki iš ir į jau jei ji jie jis jo jos jų kad kada kai kaip kam kas ką ko kodėl kokia koks kokie kur kuri kurie kuris kurios ne nei nes nėra nuo o pagal per po prie pro su sau savo tačiau tai taip
    tarp ta tas to toks tuo už yra vis`,
  sr: `а али би био била било бити где да до ел за и из или им их ја је јер јесте још када како кад код која које који кога ко ли ми мој на над не него ни ниje од о он она они по под пре при са се сам смо су све то тај та у чега шта што
    a ali bi bio bila bilo biti gde gdje da do za i iz ili im ih ja je jer jeste još kada kako kad kod koja koje koji koga ko li mi moj na nad ne nego ni nije od o on ona oni po pod pre prije pri sa se sam smo su sve to taj ta u čega šta što`,
  tr: `acaba ama ancak bana bazı belki ben bir biri bu bunu bunun çok da daha de değil diye en gibi göre hangi hem hangisi her için ile ise kaç kadar ki kim kimin mi mı mu mü ne neden nedir nasıl nerede nereden nereye niçin niye o olan
    olarak oldu olduğu olup olur on onun sonra şey şu tarafından var ve veya ya yani yok`,
  pl: `a aby albo ale bardzo bez być był była było były bo by ci co czego czy dla do gdy gdzie go i ich ile im ja jak jaka jaki jakie jakim jako je jego jej jest jeszcze już każdy kiedy kim kto która które który których kogo lub ma mi mnie może
    na nad nie nim o od on ona one oni oraz po pod przed przez przy się są skąd tak także tam te tego tej ten to tym u w we więc wszystko z za ze że`,
  cs: `a aby ale ani až bez by byl byla bylo byly být či co dle do i ho ich já jak jaká jaké jako je jeho jejich jen jestliže jsem jsou k kde kdo kdy kolik která které který kterou ku mezi mít může na nad ne nebo než není o od on po pod podle pro
    proč proto při s se si sice svou své tak také tato tento ten to toho tím v ve více však z za ze že`,
  vi: `ai bao bằng bị bởi các cái cách cả chỉ cho chưa có còn của cũng cùng do đã đang đâu để đến đó được gì hay hoặc hơn khi không là lại làm lên mà mấy một nào này nên nếu ở qua ra rằng rất sao sau sẽ tại thì theo thế trên trong từ và vào vẫn vì
    việc với vậy`,
  uk: `а або але без би був була були було бути в вам вас ви вони він від все для до є же за з зі й його із і її їх їхній як яка яке який які якого коли куди кого хто ли мене ми може на над не ні ним ну о однак по під при про після с скільки та так такий
    також там те ти того то тому у це цей цього чи через чому що щоб я`,
  bg: `а аз ако без беше би бил била било в вече във върху ви все вие да дали до докато е за защо и из или им има как каква какво какъв като когато кога кого кой коя които която което към къде ли между ми много може му на над не него нещо но ние
    някои ни от по под поради при с са само се след си сме със така тази това той този те тя тях че`,
  el: `αν ακόμη αλλά ανάμεσα από αυτά αυτές αυτή αυτό αυτοί αυτός για γιατί δε δεν δια εάν εδώ είναι είχε είχαν έκαναν εκεί ένα ένας έναν έχει έχουν η ή ήδη ήταν θα και κατά με μέσα μετά μέχρι μια μία μπορεί να ο οι όμως όπου όπως όταν ότι ου πιο
    ποια ποιά ποιες ποιο ποιό ποιοι ποιον ποιος ποιός ποιους πόσα πόσες πόσο πόσοι πότε που πού προς πως πώς σαν σε στα στη στην στις στο στον στους τα τη την της τι τις το τον του τους των ως`,
  hy: `այդ այն այս ապա բայց են եմ ենք ես եք երբ է էին էր ըստ թե ի ին իր կամ համար հետ մեջ մեր մինչ նա նաև ներ նրա նրանք որ որը որի որտեղ որոնք ով ովքեր ու ինչ ինչպես ինչու քանի պիտի վրա և`,
  hi: `अपना अपनी अपने अब आदि आप इस इसका इसकी इसके इन उन उनका उनकी उनके उस उसका उसकी उसके एक एवं और कब करता करते करना करने कर कहाँ कहां का कि कितना कितनी कितने किस किसका किसकी किसके किसने किसे किया की के को कोई कौन कौनसा कौनसी क्या क्यों गई गए गया जब जहाँ जहां
    जाता जाती जाते जिस जिसे जो तक तथा तो था थी थीं थे द्वारा दिया ने नहीं पर पे बहुत भी मे में यह या ये रहा रही रहे लिए वह वाला वाली वाले वे सकता सकती सकते साथ से हुआ हुई हुए है हैं हो होता होती होते होना ही`,
  ne: `अनि अब अर्को आफ्नो उनी उनको एक एउटा कति कसरी कसले कहाँ कहिले का कि किन की के को कुन गर्न गर्ने गरेको छ छन् छु जब जस्तै जुन तर तथा तिनी त्यो थिए थियो द्वारा देखि न नै नि पनि भने भएको भयो भन्ने मा मात्र यस यसको यो र रहेको लाई ले वा सँग सबै हुन हुने हुन्छ
    हो`,
  ta: `அது அதன் அந்த அல்லது அவர் அவர்கள் அவை ஆகிய ஆகும் ஆனால் இது இந்த இருந்து இல்லை உள்ள உள்ளது எங்கு எங்கே எத்தனை எது எந்த எப்படி எப்போது எவ்வளவு என் என்ன என்று என்பது என்ற எனவே ஏன் ஒரு கொண்ட தான் பின்னர் போன்ற மற்றும் மிகவும் முன் மூலம் மேலும் யார் வரை வேண்டும்`,
  fa: `آن آنها آیا از است اگر اما او ای این با باید بر برای بود بودند به بین پس تا چرا چند چه چگونه چیست خود دارد در دو را شد شده شود طور کجا کدام که کسی کند کنند کی ما مورد می نیز نمی هر هم های همه و ولی یا یک`,
  ur: `اس اسے ان اور ایک اپنا اپنی اپنے بھی پر تا تک تو تھا تھی تھے جو جس سے کا کب کتنا کتنے کتنی کر کرنا کرنے کس کسی کون کہ کہاں کی کیا کیوں کیسے کے کو گا گی گئے گئی گیا لیے میں نہ نہیں نے وہ ہر ہو ہوا ہوئی ہوتا ہوتی ہے ہیں یا یہ`,
  yi: `און איז די דער דאָס דאס אַ א אַן אן אין פֿון פון צו צום מיט פֿאַר פאר אויף ניט נישט זיך זיין זײַן זײַנען זענען האָט האט וואָס וואס ווער ווי וואו ווען פארוואס ער זי מיר איר עס אַז אז אָדער אדער ביי ביז אויך נאָר יעדער הויפּט`,
  he: `או אם אבל אותו אותה איזה איזו איך אין איפה אל אלה אנחנו אני את אתה ב בו בין גם היא הוא היה היו היתה הם הן זאת זה זו יש כאשר כדי כי כל כמה כמו לא לאחר לו למה לפני מ מאוד מדוע מה מי מתי על עד עם של שהוא שלו שלה תחת`,
  ko: `는 은 이 가 을 를 의 에 에서 으로 로 와 과 도 무엇 누구 언제 어디 어떻게 어떤 몇 왜 얼마 입니까 습니까 인가 는가 했나 이다 하는 있는 했다 니까 나요`,
  th: `ที่ ใน ของ และ เป็น มี ได้ ว่า ให้ กับ จาก อะไร ใคร เมื่อ ไหน ไร อย่าง ทำไม กี่ เท่า หรือ ถูก คือ ใด`,
};
