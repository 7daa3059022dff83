/** What a dry run and an import have in common: an item to show, and the work behind it. */
import type { Json } from "@margay/core";
import type { SessionId } from "@margay/core/internal";
import type { Area, Reason, SourceSession } from "./source.ts";

/** `same`: it is here already. `conflict`: something else is here, and stays. `skip`: it has no place here. */
export type Status = "add" | "merge" | "same" | "conflict" | "skip";

export interface PlanItem {
  readonly area: Area;
  readonly from: string;
  readonly to?: string;
  readonly status: Status;
  readonly reason?: Reason;
  /** What was repaired in it, each with its line. */
  readonly notes?: readonly string[];
  /** Of a setting that holds no secret. */
  readonly value?: Json;
}

/** An item, and what is done for it. */
export interface Step<Work> {
  readonly item: PlanItem;
  readonly work?: Work;
}

export interface PlannedSetting {
  readonly path: string;
  readonly value: Json;
  readonly secret: boolean;
}
export interface PlannedSession extends SourceSession {
  /** It is here already, without a word in it. */
  readonly id?: SessionId;
}
export interface PlannedMemory {
  readonly to: "MEMORY.md" | "HISTORY.md";
  readonly before: string;
  readonly after: string;
}
export interface PlannedSkill {
  readonly name: string;
  readonly directory: string;
  readonly hash: string;
}
