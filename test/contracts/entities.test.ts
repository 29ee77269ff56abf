import { afterAll, describe } from "vitest";
import { openEntities } from "../../src/knowledge-base/entities/open-entities.ts";
import { createEntitiesPack } from "../packs/entities-pack.ts";
import { createHomes } from "../knowledge-base/records/shop.ts";
import { runPack } from "./run-pack.ts";

describe.each(createHomes())("entities in $name", (home) => {
  afterAll(() => home.close());
  runPack(
    createEntitiesPack({
      async open(options) {
        const kb = await home.open();
        return (who) => openEntities(who === undefined ? kb : kb.as(who), "company", options);
      },
    }),
  );
});
