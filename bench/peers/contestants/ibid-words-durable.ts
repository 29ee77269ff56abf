import type { CreateContestant } from "../contestant.ts";
import { byWords, openDurable } from "./ibid.ts";

export const create: CreateContestant = async (setting) => byWords(await openDurable(setting), setting);
