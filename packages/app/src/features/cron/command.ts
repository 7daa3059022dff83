/** `margay cron list|add|remove|enable|disable|run|runs`: also while another margay process works on the state directory. */
import { RuntimeError, type Address } from "@margay/core";
import { addressIn, addressText, lockOwner, timeText, zoneOf, type JobRequest } from "@margay/core/internal";
import type { JobRun, JobView, Misfire, SkippedRuns } from "@margay/core/internal";
import { callerOf } from "../../host/control/call.ts";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { isInvalidJob, type CRON_OPERATIONS, type CronAnswer } from "./actions.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";

const call = callerOf<typeof CRON_OPERATIONS>();
const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

export const listJobs: Run = async (cli) => {
  const answer = await request(cli, { do: "list" });
  if (!("jobs" in answer)) return report(cli, answer, "");
  const zone = cli.loadShown().timeZone;
  if (cli.json) cli.terminal.out(jsonLine(answer.jobs));
  else if (answer.jobs.length === 0) cli.terminal.out(`${cli.t("cron.none")}\n`);
  else
    cli.terminal.out(
      table(
        answer.jobs.map((job) => [
          safeText(job.id),
          scheduleText(job, zone, cli),
          [job.mode, ...(job.agent === undefined ? [] : [safeText(job.agent)])].join(" "),
          nextText(job, zone, cli),
          lastText(job, zone, cli),
          safeText(addressText(job.to)),
          safeText((job.name ?? job.message).split("\n")[0] ?? "").slice(0, 60),
        ]),
      ),
    );
  return EXIT.done;
};

export const addJob: Run = async (cli, input) => {
  const answer = await request(cli, { do: "add", request: requestOf(cli, input) });
  if (!("job" in answer)) return report(cli, answer, "");
  const { job } = answer;
  const zone = cli.loadShown().timeZone;
  if (cli.json) cli.terminal.out(jsonLine(job));
  else {
    cli.terminal.out(
      `${cli.t("cron.added", { id: job.id, schedule: scheduleText(job, zone, cli), next: nextText(job, zone, cli) })}\n`,
    );
    if (lockOwner(cli.places.home) === undefined) cli.terminal.err(`${cli.t("cron.whileRunning")}\n`);
  }
  return EXIT.done;
};

export const removeJob: Run = (cli, input) => change(cli, input, "remove", "cron.removed");
export const enableJob: Run = (cli, input) => change(cli, input, "enable", "cron.enabled");
export const disableJob: Run = (cli, input) => change(cli, input, "disable", "cron.disabled");

export const runJob: Run = async (cli, input) => {
  const id = input.args[0] ?? "";
  const answer = await request(cli, { do: "run", id });
  if (!("run" in answer)) return report(cli, answer, id);
  const { run } = answer;
  if (cli.json) cli.terminal.out(jsonLine(run));
  else
    cli.terminal.out(
      `${cli.t("cron.ran", { id: safeText(id), status: cli.t(`cron.status.${run.status}`), ms: run.durationMs })}${run.error === undefined ? "" : ` ${safeText(run.error)}`}\n`,
    );
  return run.status === "ok" || run.status === "silent" ? EXIT.done : EXIT.failed;
};

export const showRuns: Run = async (cli, input) => {
  const id = input.args[0] ?? "";
  const answer = await request(cli, { do: "runs", id });
  if (!("runs" in answer)) return report(cli, answer, id);
  const zone = cli.loadShown().timeZone;
  if (cli.json) for (const run of answer.runs) cli.terminal.out(jsonLine(run));
  else if (answer.runs.length === 0) cli.terminal.out(`${cli.t("cron.noRuns")}\n`);
  else for (const run of answer.runs) cli.terminal.out(`${runLine(run, zone, cli)}\n`);
  return EXIT.done;
};

async function change(
  cli: Cli,
  input: Input,
  what: "remove" | "enable" | "disable",
  done: "cron.removed" | "cron.enabled" | "cron.disabled",
): Promise<number> {
  const id = input.args[0] ?? "";
  const answer = await request(cli, { do: what, id });
  if (!("status" in answer) || answer.status !== "done") return report(cli, answer, id);
  if (cli.json) cli.terminal.out(jsonLine({ id, status: "done" }));
  else cli.terminal.out(`${cli.t(done, { id: safeText(id) })}\n`);
  return EXIT.done;
}

/** Whatever is not the expected answer. */
function report(cli: Cli, answer: CronAnswer, id: string): number {
  const status = "status" in answer ? answer.status : "unknown";
  if (cli.json) cli.terminal.out(jsonLine({ id, status }));
  const texts = { off: "cron.off", unknown: "cron.unknown", running: "cron.busy", started: "cron.started" } as const;
  const text = status === "done" ? "" : `${cli.t(texts[status], { id: safeText(id) })}\n`;
  if (!cli.json && status === "started") cli.terminal.out(text);
  else if (!cli.json) cli.terminal.err(text);
  return status === "started" ? EXIT.done : EXIT.failed;
}

async function request(cli: Cli, action: Parameters<typeof call>[2]): Promise<CronAnswer> {
  try {
    const { said = [], ...answer } = await call(cli, "cron", action);
    if (!cli.json) for (const text of said) cli.terminal.out(`${safeText(text)}\n`);
    return answer;
  } catch (error) {
    throw isInvalidJob(error) ? failureOf(cli, error) : error;
  }
}

/** Fields have the names of the tool; here they are options. */
function failureOf(cli: Cli, { message }: RuntimeError): RuntimeError {
  const reason = message
    .replaceAll("every_seconds", "--every")
    .replaceAll("cron_expr", "--cron")
    .replace(/^(at|tz|message)\b/, "--$1")
    .replace(/^at,/, "--at,");
  return new RuntimeError("usage.wrong", cli.t("cron.refused", { reason }));
}

function requestOf(cli: Cli, input: Input): JobRequest {
  const text = (name: string): string | undefined => textOption(input, name);
  const [every, expression, at, tz, name] = [text("every"), text("cron"), text("at"), text("tz"), text("name")];
  const [misfire, agent] = [text("misfire"), text("agent")];
  return {
    message: text("message") ?? "",
    to: chatOf(cli, text("to")),
    ...(every !== undefined && { every_seconds: secondsOf(cli, every) }),
    ...(expression !== undefined && { cron_expr: expression }),
    ...(at !== undefined && { at }),
    ...(tz !== undefined && { tz }),
    ...(name !== undefined && { name }),
    ...(agent !== undefined && { agent }),
    ...(misfire !== undefined && { misfire: misfire as Misfire }), // commander checked the choice
    ...(input.options["silent"] === true && { silent: true }),
    ...(input.options["deliver"] === true && { mode: "deliver" as const }),
  };
}

/** A job is always bound to a chat. */
function chatOf(cli: Cli, value: string | undefined): Address {
  if (value === undefined) throw new RuntimeError("usage.wrong", cli.t("cron.noTarget"));
  const to = addressIn(value);
  if (to === undefined) throw new RuntimeError("usage.wrong", cli.t("cron.badChat", { value: safeText(value) }));
  return to;
}

function secondsOf(cli: Cli, value: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([smhd]?)$/.exec(value.trim());
  if (match === null) throw new RuntimeError("usage.wrong", cli.t("cron.badEvery", { value: safeText(value) }));
  return Number(match[1]) * UNITS[(match[2] === "" ? "s" : match[2]) as keyof typeof UNITS]; // the pattern allows no other
}

function scheduleText({ trigger }: JobView, zone: string, cli: Cli): string {
  switch (trigger.kind) {
    case "at":
      return cli.t("cron.at", { time: timeText(trigger.atMs, zoneOf({ trigger }, zone)) });
    case "cron":
      return `${safeText(trigger.expression)} ${safeText(trigger.timeZone)}`;
    case "every": {
      const seconds = trigger.everyMs / 1000;
      const [unit, size] = EVERY.find(([, each]) => seconds % each === 0) ?? ["second", 1];
      return cli.t("cron.every", { count: seconds / size, unit: cli.t(`cron.unit.${unit}`) });
    }
  }
}
const EVERY = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

function nextText(job: JobView, zone: string, cli: Cli): string {
  if (job.invalid !== undefined) return cli.t("cron.invalid", { reason: safeText(job.invalid) });
  if (!job.enabled) return cli.t("cron.isOff");
  if (job.running) return cli.t("cron.isRunning");
  return job.nextAt === undefined
    ? cli.t("cron.noNext")
    : cli.t("cron.next", { time: timeText(job.nextAt, zoneOf(job, zone)) });
}

function lastText(job: JobView, zone: string, cli: Cli): string {
  const { last, skipped } = job;
  if (last === undefined) return skipped === undefined ? cli.t("cron.never") : runLine(skipped, zoneOf(job, zone), cli);
  const status = cli.t(`cron.status.${last.status}`);
  const text = cli.t("cron.last", { status, time: timeText(last.startedAt, zoneOf(job, zone)) });
  return last.error === undefined ? text : `${text} (${safeText(last.error).slice(0, 80)})`;
}

function runLine(run: JobRun | SkippedRuns, zone: string, cli: Cli): string {
  if ("reason" in run) {
    const first = timeText(run.first, zone);
    const time = run.first === run.last ? first : `${first} – ${timeText(run.last, zone)}`;
    return cli.t("cron.skipped", { time, reason: cli.t(`cron.reason.${run.reason}`) });
  }
  const status = cli.t(`cron.status.${run.status}`);
  return `${timeText(run.startedAt, zone)}  ${status}  ${run.durationMs} ms${run.error === undefined ? "" : `  ${safeText(run.error)}`}`;
}
