/** A skill as the wire shows it. */
import { createTokenCounter, sha256 } from "@margay/core/internal";
import { changesSince, reportSkill, safeFiles } from "@margay/core/internal";
import type { Skill, SkillApproval, SkillReport } from "@margay/core/internal";
import type { z } from "zod";
import type { Language } from "../../texts/text.ts";
import { refusal } from "../../host/api/refusal.ts";
import type { Call } from "../../host/api/route.ts";
import type { ReportSchema, SkillSchema } from "./schema.ts";
import { TEXT } from "./api-texts.ts";

type Asking = Pick<Call<unknown, unknown>, "services" | "signal" | "language">;

const STATES = {
  ready: "ready",
  unavailable: "missing",
  unapproved: "unapproved",
  changed: "suspended",
  disabled: "off",
  broken: "invalid",
  shadowed: "shadowed",
} as const satisfies Record<Skill["status"], z.input<typeof SkillSchema>["state"]>;

/** Bundled ones have no hash of their own: nobody has to approve them. */
export function hashOf(skill: Skill): string {
  return skill.hash === "" ? sha256(`${skill.location}\n${skill.head?.description ?? ""}\n${skill.body}`) : skill.hash;
}

export function skillView(skill: Skill): z.input<typeof SkillSchema> {
  const { name, from, status, head, missing, warnings, body, reason } = skill;
  const description = head?.description ?? "";
  const always = head?.always === true;
  const inPrompt = always && status === "ready" ? body : `${name} ${description}`;
  return {
    name,
    description,
    source: from,
    always,
    enabled: status !== "disabled",
    state: STATES[status],
    missing: missing.map((text) => missingView(text, skill)),
    tokens: status === "ready" || status === "unavailable" ? createTokenCounter().text(inPrompt) : 0,
    hash: hashOf(skill),
    warnings: [...warnings],
    ...(reason !== undefined && { reason }),
  };
}

export function reportView(report: SkillReport, approval: SkillApproval | undefined): z.input<typeof ReportSchema> {
  const { name, hash, bytes, files, scripts, hosts, problems, invisible, reason } = report;
  return {
    name,
    hash,
    bytes,
    files: files.map((file) => ({ ...file })),
    scripts: [...scripts],
    hosts: [...hosts],
    problems: [...problems],
    invisible: [...invisible],
    changed: approval === undefined || approval.hash === hash ? [] : [...changesSince(approval, files)],
    ...(reason !== undefined && { reason }),
  };
}

/** The one that is used, when two have the name. @throws Problem `skill.not-found`. */
export async function skillOf(name: string, { services, signal, language }: Asking): Promise<Skill> {
  const found = (await services.app.inside.skills.all(signal)).find((skill) => skill.name === name);
  if (found !== undefined) return found;
  throw refusal("skill.not-found", language, {
    detail: TEXT.noSkill,
    remedy: TEXT.listsThem,
    values: { name: name.slice(0, 100) },
  });
}

/** @throws Problem `skill.invalid`. */
export function requireLoadable({ reason, problems }: SkillReport, language: Language): void {
  if (reason === undefined) return;
  throw refusal("skill.invalid", language, {
    detail: TEXT.skillWouldLoad,
    remedy: TEXT.skillMdBegins,
    values: { reason },
    errors: problems.map((message) => ({ path: "/body", code: "skill.invalid", message })),
  });
}

/** The whole SKILL.md; never what a link in its place leads to. */
export async function skillText({ directory, from }: Skill): Promise<string> {
  // Package managers make hard links of what they install.
  using file = await safeFiles({ root: directory, restrict: true, hardLinks: from === "bundled" }).read("SKILL.md");
  return (await file.bytes()).toString("utf8");
}

export function reportOf(skill: Pick<Skill, "directory" | "name">, signal: AbortSignal): Promise<SkillReport> {
  return reportSkill(skill.directory, skill.name, signal);
}

/** As requirements.ts words it: the bare name of a program, `variable TOKEN …`, `tool exec`. */
function missingView(text: string, { head }: Skill): z.input<typeof SkillSchema>["missing"][number] {
  if (head?.requires.bins.includes(text) === true) return { kind: "bin", name: text };
  const [, word, name = ""] = /^(variable|tool) (\S+)/.exec(text) ?? [];
  return word === undefined ? { kind: "other", name: text } : { kind: word === "tool" ? "tool" : "env", name };
}
