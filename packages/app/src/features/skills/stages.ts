/** Skills that were brought here and wait for their owner's look: kept for an hour, removed with the process. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { hasCode } from "@margay/core";
import { makeDirectory } from "@margay/core/internal";
import { reportSkill, stageSkills, type SkillReport, type Staged, type StagedSkill } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { stagingDirectory } from "./settings.ts";
import type { Language } from "../../texts/text.ts";
import { refusal } from "../../host/api/refusal.ts";
import type { Call } from "../../host/api/route.ts";
import { TEXT } from "./api-texts.ts";

type Asking = Pick<Call<unknown, unknown>, "services" | "signal" | "language">;

export interface Stage {
  readonly id: string;
  readonly skill: StagedSkill;
  readonly report: SkillReport;
  /** As it was given. */
  readonly source: string;
}

export interface Stages {
  /** @throws Problem `skill.unsafe`: nothing of it was kept. */
  bring(source: string | Uint8Array, call: Asking): Promise<readonly Stage[]>;
  find(id: string): Stage | undefined;
  drop(id: string): boolean;
}

const KEPT_MS = 3_600_000;
/** Deliveries at once; the oldest goes first. */
const MAX_KEPT = 8;

/** A word that is no path here is not looked up in a registry: who wants that says so. */
function sourceOf(given: string, currentDirectory: string, language: Language): string {
  if (given.startsWith(NPM)) return given.slice(NPM.length);
  const path = resolve(currentDirectory, given);
  if (existsSync(path)) return path;
  throw refusal("skill.unsafe", language, {
    detail: TEXT.doesExist,
    remedy: TEXT.givePathFolder,
    values: { source: given.slice(0, 200) },
  });
}
const NPM = "npm:";

interface Delivery {
  readonly at: number;
  readonly staged: Staged;
  /** Of those that are not decided yet. */
  readonly stages: Map<string, Stage>;
}

/** For `services.once`. */
export function openStages(app: App): Stages {
  const deliveries: Delivery[] = [];
  const staging = stagingDirectory(app.loaded.places);

  const remove = (delivery: Delivery): void => {
    deliveries.splice(deliveries.indexOf(delivery), 1);
    delivery.staged[Symbol.dispose]();
  };
  const tidy = (): void => {
    const oldest = app.clock.now() - KEPT_MS;
    for (const delivery of [...deliveries])
      if (delivery.at < oldest || delivery.stages.size === 0 || deliveries.length > MAX_KEPT) remove(delivery);
  };

  return {
    bring: async (given, { services, signal, language }) => {
      makeDirectory(staging);
      const place = mkdtempSync(join(staging, "upload-"));
      try {
        const path = join(place, "skill.tgz");
        if (typeof given !== "string") writeFileSync(path, given, { flag: "wx" });
        const { currentDirectory, env } = services.environment;
        const source = typeof given === "string" ? sourceOf(given, currentDirectory, language) : path;
        const staged = await stageSkills({ source, currentDirectory, staging, environment: env }, signal);
        const stages = new Map<string, Stage>();
        for (const skill of staged.skills) {
          const id = app.ids.next("stage");
          const report = await reportSkill(skill.directory, skill.name, signal);
          stages.set(id, { id, skill, report, source: typeof given === "string" ? staged.source : "upload" });
        }
        deliveries.push({ at: app.clock.now(), staged, stages });
        tidy();
        return [...stages.values()];
      } catch (error) {
        if (!hasCode(error, "skill.refused")) throw error;
        throw refusal("skill.unsafe", language, {
          detail: TEXT.nothingKept,
          remedy: TEXT.giveFolderTgz,
          values: { reason: error.message.replaceAll(place, "upload") },
        });
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    },
    find: (id) => {
      tidy();
      return deliveries.map(({ stages }) => stages.get(id)).find((stage) => stage !== undefined);
    },
    drop: (id) => {
      const dropped = deliveries.some(({ stages }) => stages.delete(id));
      tidy();
      return dropped;
    },
  };
}
