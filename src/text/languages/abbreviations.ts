const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

// All in lower case, without the last full stop: English first, then German, French, Spanish and Italian.

/** Titles: a name follows. Only where they are written with a capital. */
export const titles: ReadonlySet<string> = list(`
  dr mr mrs ms mx prof messrs mme mlle mgr hr sr sra srta dott ing rev hon gen col maj capt cpt cmdr lt sgt gov sen rep pres st ste mt ft
`);

/** Words in the middle of a sentence: something always follows. */
export const connectives: ReadonlySet<string> = list(`
  e.g i.e cf vs viz approx ca esp resp incl excl eds trans z.b d.h u.a v.a s.o s.u bzw ggf evtl sog bspw inkl zzgl abzgl vgl hrsg p.ex p.ej
  z.t i.d.r u.u m.e i.a i.w z.zt o.g u.g s.a v.u i.e.s insb insbes bzgl betr entspr jew gem einschl ausschl zw h.c a.d n.b d.i a.a.o m.w.n u.z v.chr n.chr
`);

/** Abbreviations before a number, a letter or a month's day: `Fig. 3`, `No. 5`, `Sept. 9`. Before a word they are words: `No. That is wrong.` */
export const references: ReadonlySet<string> = list(`
  fig figs eq eqs sec sect ch chap vol vols no nos n nr p pp s f ff fn para par art abb tab abs bd bl kap cap pt pts ver v app ex ref refs
  ext exts tel approx ca est min max temp rm bldg apt hwy opt fl flr ste bldgs rms tbl lfd hausnr zi whg geb mrd mio tsd jh jhd std
  jan feb mar apr jun jul aug sept sep oct nov dec okt dez
`);

/** Further abbreviations, which a word with a small letter may follow: `etc. are kept`. */
export const continuing: ReadonlySet<string> = list(`
  eg ie etc usw op id al avg std misc attn assoc temp cont orig acct intl natl yr yrs hr hrs wk wks mo mos oz gal sq dep env mfg
  ausschl einschl zus ungef urspr ehem engl griech lit illus exh calif ep geb gest gegr verh mind sek mio stk aprox núm pág éd av
`);

/** Abbreviations that may end a sentence as well: the next word decides. */
export const oftenFinal: ReadonlySet<string> = list(`
  inc ltd co corp llc plc gmbh bros jr al dept univ ave blvd rd ed
  temp rm bldg hwy str cit attn assoc acct intl natl mfg misc cont approx avg abt tel jh chr mio mrd tsd
`);

/** Days and months, which are words as well: only where they are written with a capital. The next word decides. */
export const dates: ReadonlySet<string> = list(`
  mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec mo di mi do fr sa so okt dez
`);

/** Words that begin sentences far more often than they go on after an abbreviation or an initial. */
export const sentenceStarters: ReadonlySet<string> = list(`
  the a an this that these those it its he his she her they their we our you your i my there here in on at by for from with without after
  before when while where if as although though because since however but and or so yet then thus therefore moreover furthermore meanwhile
  also both each every some many most no not one two what who why how which
  der die das ein eine es er sie wir ich dies diese dieser im am auf nach bei mit von aber und doch wenn als da hier
  le la les un une il elle ils elles ce cette ces nous dans en pour mais et el los las una ella ellos esta este por para pero y si
`);

/** Words after an ordinal such as `3.` in German. */
export const afterOrdinal: ReadonlySet<string> = list(`
  januar jänner februar märz april mai juni juli august september oktober november dezember
  jh jhd jahrhundert jahrhunderts jahrhunderte jahrtausend klasse auflage platz lebensjahr weltkrieg
`);
