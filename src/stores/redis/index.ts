/** `ibid/stores/redis`. */
export type { RedisClient } from "./redis-client.ts";
export { createRedisEngine, type RedisOptions } from "./redis-engine.ts";
