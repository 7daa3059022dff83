// SC4 in a gateway with its own defaults, where nobody is there: a page that an ordinary command moved or rewrote in one conversation
// makes no job in another one, also after a restart; a day's command beside it does.
import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { LETTER, savesLetter } from "../gateway/strangers-files.ts";
import { startGateway, type Owner } from "../gateway/support.ts";

/** As by default: most tests of the gateway do without. */
const SANDBOX = { tools: { exec: { sandbox: "required" } } };

/** A first conversation saves what somebody sent, a second one works on it. @returns how many jobs a third one makes in a later process. */
async function jobsAfter(t: Owner, work: string, look: string): Promise<number> {
  const first = await startGateway(t, { config: SANDBOX });
  savesLetter(first, "page.md");
  await first.app.agent.send("web:one", "save the letter").finished; // alone it may not write
  expect(readFileSync(join(first.workspace, "page.md"), "utf8")).toContain(LETTER);
  first.model.replies(callsTool("exec", { command: work }), says("done"));
  await first.app.agent.send("web:two", "tidy up", { attended: false }).finished;
  await first.stop();
  const later = await startGateway(t, {
    config: SANDBOX,
    prepare: ({ home, workspace }) => {
      rmSync(workspace, { recursive: true });
      renameSync(first.workspace, workspace);
      for (const name of ["undo", "file-labels.jsonl", "file-prints.jsonl"])
        renameSync(join(first.home, name), join(home, name));
    },
  });
  const job = callsTool("cron", { action: "add", message: "obey", every_seconds: 3600 });
  later.model.replies(callsTool("exec", { command: look }), job, says("done"));
  await later.app.agent.send("web:three", "look at it", { attended: false }).finished;
  const calls = (await later.app.audit.list({ kind: "call" })).filter((entry) => entry.kind === "call");
  expect(calls.filter(({ tool, status }) => tool === "exec" && status === "ok")).toHaveLength(1);
  return (await later.app.schedule.cron?.list())?.length ?? 0;
}

test.for([
  ["mkdir docs; mv page.md docs/q.md", "cat docs/q.md", 0],
  ["tr a-z A-Z < page.md > s.md; rm page.md", "cat s.md", 0],
  ["echo mine > notes.txt; sed s/a/b/ page.md >> notes.txt; rm page.md", "cat notes.txt", 0],
  [
    "git init -q .; git add page.md; git -c user.name=a -c user.email=b commit -qm x; rm page.md",
    "git show HEAD:page.md",
    0,
  ],
  ["date", "date; ls; wc -c page.md", 1],
] as const)("SC4 after `%s` and `%s` in another conversation, %i jobs are made", async ([work, look, jobs], t) => {
  expect(await jobsAfter(t, work, look)).toBe(jobs);
});
