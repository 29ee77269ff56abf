/** `ibid/stores/mongodb`. */
export type { MongoCollection, MongoCursor, MongoDatabase } from "./mongodb-client.ts";
export { createMongoEngine, type MongoOptions } from "./mongodb-engine.ts";
