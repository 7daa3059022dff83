/** `margay explain SESSION`: each commit, what the loop wanted there, prompt hash, tokens, cost and time. */
import { type JournalRecord, type Usage } from "@margay/core";
import { explain, type Explained, firstOf, stepText } from "@margay/core/internal";
import { agentSettings } from "../../config/agent-settings.ts";
import { findArchived } from "../../host/cli/archive.ts";
import { EXIT, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { numberOption } from "../../host/cli/values.ts";

/** The window only decides about compaction, which is a record of its own. */
const CONTEXT_WINDOW = 128_000;

export const runExplain: Run = async (cli, input) => {
  const session = await findArchived(cli, input.args[0] ?? "");
  const turn = numberOption(cli, input, "turn");
  const replay = input.options["replay"] === true;
  const { config, timeZone } = cli.loadShown();
  const settings = agentSettings({ config, timeZone, contextWindow: CONTEXT_WINDOW });
  let turns = 0;
  let commits = 0;
  let differing = 0;
  for await (const step of explain(session.commits(), settings)) {
    commits += 1;
    if (firstOf(step.commit.records, "turn.started") !== undefined) turns += 1;
    const differs = step.verdict === "unexpected" || step.promptHashOk === false;
    if (differs) differing += 1;
    if (turn !== undefined && turns !== turn) continue;
    if (replay && !differs) continue;
    const wanted = stepText(step.wanted, settings);
    if (cli.json)
      cli.terminal.out(
        jsonLine({
          seq: step.commit.seq,
          at: step.commit.at,
          turn: turns,
          wanted: step.wanted,
          verdict: step.verdict,
          ...(step.promptHashOk !== undefined && { promptHashOk: step.promptHashOk }),
          records: step.commit.records.map((record) => record.type),
          facts: factsOf(step),
        }),
      );
    else cli.terminal.out(line(step, wanted));
  }
  if (replay) {
    if (cli.json) cli.terminal.out(jsonLine({ type: "replay", commits, differing }));
    else
      cli.terminal.out(
        `${cli.t(differing === 0 ? "explain.same" : "explain.differs", { count: differing === 0 ? commits : differing })}\n`,
      );
  }
  return replay && differing > 0 ? EXIT.failed : EXIT.done;
};

function line({ commit, verdict, promptHashOk, wanted, outcome }: Explained, text: string): string {
  const hash = promptHashOk === undefined ? "" : promptHashOk ? " prompt ✓" : " prompt ✗";
  const mark = verdict === "unexpected" ? "✗" : verdict === "outside" ? "·" : "✓";
  const facts = commit.records.map((record) => factText(record)).filter((fact) => fact !== "");
  const cause = wanted.do === "rest" || outcome ? "" : ` ← ${text}`;
  return `${String(commit.seq).padStart(5)} ${new Date(commit.at).toISOString()} ${mark} ${commit.records.map((record) => record.type).join(" + ")}${hash}${safeText(cause)}\n${facts.map((fact) => `${" ".repeat(32)}${safeText(fact)}\n`).join("")}`;
}

function factsOf({ commit }: Explained): readonly string[] {
  return commit.records.map((record) => factText(record)).filter((fact) => fact !== "");
}

type Facts = {
  readonly [Type in JournalRecord["type"]]?: (record: Extract<JournalRecord, { readonly type: Type }>) => string;
};

/** Hash, tokens, cost, duration, cause: what a record adds to its name. */
const FACTS: Facts = {
  "prefix.frozen": ({ prefix, because }) =>
    `prefix ${prefix.hash.slice(0, 12)} because ${because}, ${prefix.tools.length} tools`,
  "agent.bound": ({ agent, rule }) => `${agent} by ${rule}`,
  "message.received": ({ message, origin }) => `${message.from.id} on ${origin.channel}:${origin.chat}`,
  "message.posted": ({ from, reply }) => `${reply} by ${from.id}`,
  "usage.counted": ({ purpose, usage }) => `${purpose}: ${usageText(usage)}`,
  "model.requested": ({ model, attempt, promptHash, estimated }) =>
    `${model.provider}/${model.model} attempt ${attempt}, prompt ${promptHash.slice(0, 12)}, about ${estimated} tokens`,
  "model.responded": ({ message: { usage, finish } }) => `${finish}: ${usageText(usage)}`,
  "model.failed": ({ error }) => `${error.code}: ${error.message}`,
  "call.judged": ({ call, verdict, rule, reason }) =>
    `${call} ${verdict} by ${rule}${reason === undefined ? "" : `: ${reason}`}`,
  "call.deferred": ({ call, name }) => `${call} ${name} runs at the client`,
  "approval.resolved": ({ call, verdict, by }) => `${call} ${verdict} by ${by}`,
  "call.asked": ({ call, prompt }) => `${call} asks: ${prompt}`,
  "question.closed": ({ call, because }) => `${call} ${because}`,
  "release.asked": ({ code, of, reader, asks }) =>
    asks === undefined
      ? `${code} asks ${of} whether ${reader} is told`
      : `${code} asks ${of} about ${asks.call} of ${reader}`,
  "release.answered": ({ release, verdict, by, remember = "" }) =>
    `${release} ${verdict} by ${by} ${remember}`.trimEnd(),
  "release.closed": ({ release, because, answer }) =>
    `${release} ${because}${answer === undefined ? "" : `: ${answer.verdict} by ${answer.by}`}`,
  "tool.started": ({ name, attempt, effect }) => `${name} attempt ${attempt} (${effect})`,
  "tool.finished": ({ message, durationMs }) => `${message.name} ${message.status} in ${Math.round(durationMs)} ms`,
  "turn.ended": ({ reason, durationMs, usage, error }) =>
    `${reason} in ${Math.round(durationMs)} ms, ${usageText(usage)}${error === undefined ? "" : `, ${error.code}`}`,
};

function factText(record: JournalRecord): string {
  const fact = FACTS[record.type] as ((record: JournalRecord) => string) | undefined; // the entry for this type takes this type
  return fact?.(record) ?? "";
}

function usageText({ input, cacheRead, output, costUsd }: Usage): string {
  return `${input} in (${cacheRead} cached), ${output} out${costUsd === undefined ? "" : `, $${costUsd.toFixed(4)}`}`;
}
