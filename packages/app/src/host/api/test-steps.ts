/** Runs the steps of a test in order; what comes after the first failure is skipped, not guessed. */
import { RuntimeError, type Clock } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import type { Language, Text } from "../../texts/text.ts";
import type { TestResult, TestStep } from "../../protocol/test-result.ts";
import { words } from "./words.ts";

export interface Step {
  readonly id: string;
  readonly title: Text;
  /** @returns what was found, for the person. @throws StepFault, or anything. */
  readonly run: (signal: AbortSignal) => Promise<StepResult> | StepResult;
}

export type StepResult = string | SkippedStep | undefined;

/** Nothing to do at this step; the next ones go on. */
export interface SkippedStep {
  readonly skipped: string;
}

/** A step that found a fault it can name. */
export class StepFault extends Error {
  override readonly name = "StepFault";
  readonly code: string;
  readonly remedy: string | undefined;

  constructor(code: string, detail: string, remedy?: string) {
    super(detail);
    this.code = code;
    this.remedy = remedy;
  }
}

export interface StepOptions {
  readonly language: Language;
  readonly clock: Pick<Clock, "monotonic">;
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal;
}

export async function runSteps(steps: readonly Step[], options: StepOptions): Promise<TestResult> {
  const { clock, language, redact, signal } = options;
  const done: TestStep[] = [];
  let failed: TestStep | undefined;
  for (const { id, title, run } of steps) {
    const head = { id, title: words(language, title) };
    if (failed !== undefined) {
      done.push({ ...head, state: "skipped", ms: 0 });
      continue;
    }
    const started = clock.monotonic();
    const ms = (): number => Math.round(clock.monotonic() - started);
    try {
      const found = await run(signal);
      if (typeof found === "object") done.push({ ...head, state: "skipped", ms: ms(), detail: redact(found.skipped) });
      else done.push({ ...head, state: "ok", ms: ms(), ...(found !== undefined && { detail: redact(found) }) });
    } catch (error) {
      failed = { ...head, state: "failed", ms: ms(), ...faultOf(error, redact) };
      done.push(failed);
    }
  }
  if (failed === undefined) return { ok: true, steps: done };
  const { code, detail, remedy } = failed;
  return {
    ok: false,
    steps: done,
    ...(code !== undefined && { code }),
    ...(detail !== undefined && { detail }),
    ...(remedy !== undefined && { remedy }),
  };
}

function faultOf(error: unknown, redact: (text: string) => string): Pick<TestStep, "code" | "detail" | "remedy"> {
  const detail = redact(messageOf(error));
  if (error instanceof StepFault)
    return { code: error.code, detail, ...(error.remedy !== undefined && { remedy: error.remedy }) };
  return { code: error instanceof RuntimeError ? error.code : "internal", detail };
}
