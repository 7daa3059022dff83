/** Source + what is here → what goes where, what is there already, what stays out and why. Writes nothing. */
import { createRedactor } from "@margay/core/internal";
import { planFiles, planMemory, planSkills } from "./plan-files.ts";
import { planJobs, planSessions } from "./plan-state.ts";
import { planSettings } from "./plan-settings.ts";
import type { Source, SourceFile, SourceJob, SourceKind } from "./source.ts";
import type { PlanItem, PlannedMemory, PlannedSession, PlannedSetting, PlannedSkill, Step } from "./step.ts";
import type { Target } from "./target.ts";

export interface Plan {
  readonly kind: SourceKind;
  readonly root: string;
  readonly items: readonly PlanItem[];
  readonly settings: readonly PlannedSetting[];
  readonly files: readonly SourceFile[];
  readonly memory: readonly PlannedMemory[];
  readonly sessions: readonly PlannedSession[];
  readonly jobs: readonly SourceJob[];
  readonly skills: readonly PlannedSkill[];
}

export async function planImport(source: Source, target: Target, signal: AbortSignal): Promise<Plan> {
  const { redact, register } = createRedactor(target.secrets);
  const settings = planSettings(source, target);
  for (const { secret, value } of workOf(settings)) if (secret && typeof value === "string") register(value);
  const files = planFiles(source, target);
  const memory = planMemory(source, target, redact);
  const sessions = await planSessions(source, target);
  const jobs = planJobs(source, target);
  const skills = await planSkills(source, target, signal);
  const skipped = source.skipped.map((each): PlanItem => ({ ...each, status: "skip" }));
  const steps: readonly Step<unknown>[] = [...settings, ...memory, ...sessions, ...jobs, ...skills, ...files];
  return {
    kind: source.kind,
    root: source.root,
    items: [...steps.map((step) => step.item), ...skipped],
    settings: workOf(settings),
    files: workOf(files),
    memory: workOf(memory),
    sessions: workOf(sessions),
    jobs: workOf(jobs),
    skills: workOf(skills),
  };
}

function workOf<Work>(steps: readonly Step<Work>[]): readonly Work[] {
  return steps.flatMap(({ work }) => (work === undefined ? [] : [work]));
}
