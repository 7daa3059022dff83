/** Jobs as people write them: what the body asks of the core, and where in it a refusal points to. */
import { hasCode } from "@margay/core";
import { jobFrom, loadCalendar, type JobRequest, type Trigger } from "@margay/core/internal";
import type { z } from "zod";
import { Problem, type FieldFault } from "../../host/api/problem.ts";
import type { JobBody, TriggerBody, ValidateResult } from "./schema.ts";
import { timeZoneOf } from "../../config/load.ts";
import { type Caller, personOf } from "../../host/sessions/access.ts";
import { words } from "../../host/api/words.ts";
import { describe } from "./describe.ts";
import { comingTimes, faultPosition, perDay } from "./times.ts";
import { TEXT } from "./api-texts.ts";

/** From here on a job is a cost that a person should have been told about. */
const OFTEN_PER_DAY = 48;

type GivenTrigger = z.output<typeof TriggerBody>;

export function requestOf({
  name,
  trigger,
  mode,
  message,
  target,
  misfire,
  enabled,
  agent,
  silent,
}: z.output<typeof JobBody>): JobRequest {
  const { channel, chat, thread } = target;
  return {
    message,
    to: { channel, chat, ...(thread !== undefined && { thread }) },
    ...timeOf(trigger),
    ...(name !== undefined && { name }),
    ...(mode !== undefined && { mode }),
    ...(misfire !== undefined && { misfire }),
    ...(enabled !== undefined && { enabled }),
    ...(agent !== undefined && { agent }),
    ...(silent !== undefined && { silent }),
  };
}

function timeOf(trigger: GivenTrigger): Pick<JobRequest, "at" | "every_seconds" | "anchor" | "cron_expr" | "tz"> {
  switch (trigger.kind) {
    case "at":
      return { at: trigger.at, ...(trigger.timeZone !== undefined && { tz: trigger.timeZone }) };
    case "every":
      return {
        every_seconds: trigger.everyMs / 1000,
        ...(trigger.anchor !== undefined && { anchor: trigger.anchor }),
      };
    case "cron": {
      const zone = trigger.timeZone ?? trigger.tz;
      return { cron_expr: trigger.expression ?? trigger.expr ?? "", ...(zone !== undefined && { tz: zone }) };
    }
  }
}

/** Where the fields of the core's request are in the body. */
const PATHS: Readonly<Record<string, string>> = {
  at: "/trigger/at",
  every_seconds: "/trigger/everyMs",
  cron_expr: "/trigger/expression",
  tz: "/trigger/timeZone",
  message: "/message",
};

export async function refusedByField<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, "cron.invalid")) throw error;
    throw new Problem("cron.invalid", { detail: error.message, errors: [faultOf(error)] });
  }
}

function faultOf(error: { readonly message: string; readonly details?: unknown }): FieldFault {
  const { field = "" } = (error.details ?? {}) as { readonly field?: string }; // of validate.ts
  const message = error.message.slice(field.length).trim(); // which begins with it
  return { path: PATHS[field] ?? "/trigger", code: "cron.invalid", message };
}

export async function validated(
  given: GivenTrigger,
  caller: Caller & { readonly language: "en" | "zh-CN" },
): Promise<z.input<typeof ValidateResult>> {
  const { app } = caller.services;
  const now = app.clock.now();
  const timeZone = timeZoneOf(app.inside.loaded(), personOf(caller));
  const calendar = await loadCalendar();
  let trigger: Trigger;
  try {
    const request = { message: "validate", to: { channel: "web", chat: "validate" }, ...timeOf(given) };
    ({ trigger } = jobFrom(request, "validate", { now, timeZone, misfire: "skip", calendar }));
  } catch (error) {
    if (!hasCode(error, "cron.invalid")) throw error;
    const { path, message } = faultOf(error);
    const isExpression = path === "/trigger/expression" && given.kind === "cron";
    const position = isExpression ? faultPosition(given.expression ?? given.expr ?? "", calendar) : undefined;
    return { ok: false, errors: [{ path, message, ...(position !== undefined && { position }) }] };
  }
  const count = perDay(trigger, now, calendar);
  return {
    ok: true,
    next: [...comingTimes(trigger, { now, count: 5, timeZone, calendar })],
    description: describe(trigger),
    perDay: count,
    warnings: count > OFTEN_PER_DAY ? [words(caller.language, TEXT.runsDayAgent, { count })] : [],
  };
}
