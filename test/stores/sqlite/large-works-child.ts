// Does one large work in the store of a folder.
import { largeWorks, openLarge } from "./large-works.ts";

const [folder = "", work = ""] = process.argv.slice(2);
const store = await openLarge(folder);
await largeWorks[work as keyof typeof largeWorks](store);
await store.close();
