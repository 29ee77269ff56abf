import { attackAnswers } from "./answers-attack.ts";
import { attackByArchives } from "./archives-attack.ts";
import { attackByCorruption } from "./corruption-attack.ts";
import { attackFetcher } from "./fetcher-attack.ts";
import { attackFullDisk } from "./full-disk-attack.ts";
import { attackByKills } from "./kill-attack.ts";
import { attackByOcr } from "./ocr-attack.ts";
import { attackOpenApi } from "./openapi-attack.ts";
import { attackPast } from "./past-attack.ts";
import { attackByRebinding, attackByTls } from "./rebinding-attack.ts";
import { attackS3 } from "./s3-attack.ts";
import { attackServices } from "./services-attack.ts";
import type { Tally } from "./tally.ts";
import { attackByEngines, attackHistories, attackWorlds } from "./worlds-attack.ts";

/** One kind of attack. `size` 1 is the size of a release; the numbers of attempts grow with it. */
export interface Attack {
  readonly name: string;
  run(seed: number, size: number): Promise<readonly Tally[]>;
}

/** Every attack, by the name that `--only` takes. */
export const attacks: readonly Attack[] = [
  { name: "worlds", run: attackWorlds },
  { name: "histories", run: attackHistories },
  { name: "services", run: attackServices },
  { name: "past", run: attackPast },
  { name: "archives", run: attackByArchives },
  { name: "engines", run: attackByEngines },
  { name: "answers", run: attackAnswers },
  { name: "fetcher", run: attackFetcher },
  { name: "rebinding", run: attackByRebinding },
  { name: "tls", run: attackByTls },
  { name: "openapi", run: attackOpenApi },
  { name: "s3", run: attackS3 },
  { name: "ocr", run: attackByOcr },
  { name: "kills", run: attackByKills },
  { name: "disk", run: attackFullDisk },
  { name: "corruption", run: attackByCorruption },
];
