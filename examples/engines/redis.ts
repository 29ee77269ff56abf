// Records in Redis:
//   node redis.ts redis://127.0.0.1:6379
import { createRedisEngine } from "ibid/stores/redis";
import { keepRecords } from "./keep-records.ts";

const server = process.argv[2] ?? "redis://127.0.0.1:6379";
await keepRecords(createRedisEngine({ server }));
