import type { CreateContestant } from "../contestant.ts";
import { byVector, openMemory } from "./ibid.ts";

export const create: CreateContestant = (setting) => byVector(openMemory(), setting);
