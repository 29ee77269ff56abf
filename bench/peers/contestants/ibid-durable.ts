import type { CreateContestant } from "../contestant.ts";
import { byVector, openDurable } from "./ibid.ts";

export const create: CreateContestant = async (setting) => byVector(await openDurable(setting), setting);
