// ibid as its users get it on Node: the bundle of the built package, with the types of the files that it is made of.

type Access = typeof import("../../dist/access/index.js");
type Ibid = typeof import("../../dist/index.node.js");
type Models = typeof import("../../dist/models/index.node.js");
type Search = typeof import("../../dist/search/index.js");
type Sqlite = typeof import("../../dist/stores/sqlite/index.js");
type Stores = typeof import("../../dist/stores/index.node.js");
type Text = typeof import("../../dist/text/index.node.js");

const load = (name: string): Promise<unknown> => import(`../../dist/node/${name}.js`);

export const loadIbid = async (): Promise<Ibid> => (await load("index")) as Ibid;
export const loadModels = async (): Promise<Models> => (await load("models")) as Models;
export const loadStores = async (): Promise<Access & Search & Stores & Text & Pick<Sqlite, "openSqliteStore">> => {
  const [access, search, stores, sqlite, text] = await Promise.all(
    ["access", "search", "stores", "stores/sqlite", "text"].map((name) => load(name)),
  );
  return {
    ...(access as Access),
    ...(search as Search),
    ...(stores as Stores),
    ...(sqlite as Sqlite),
    ...(text as Text),
  };
};

export type { Chunk } from "../../dist/index.node.js";
export type { ChunkEntry, DocumentWrite, Store } from "../../dist/stores/index.node.js";
