import type { CreateContestant } from "../contestant.ts";
import { byWords, openMemory } from "./ibid.ts";

export const create: CreateContestant = (setting) => byWords(openMemory(), setting);
