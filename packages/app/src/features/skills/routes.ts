/** Skills: list, write, switch, approve, remove. */
import { removeSkill, type Skill } from "@margay/core/internal";
import { announce } from "../../host/live/announce.ts";
import { changedMeanwhile, requireMatch, tagged, tagOf } from "../../host/api/etag.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { refusal } from "../../host/api/refusal.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { SkillApprove, SkillCreate, SkillDetail, SkillList, SkillSchema, SkillState, SkillWrite } from "./schema.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { withAlways } from "./always.ts";
import { approvalFor, approve, withdrawApproval } from "./approvals.ts";
import { saveSkill } from "./save-skill.ts";
import { hashOf, reportOf, reportView, requireLoadable, skillOf, skillText, skillView } from "./skill-view.ts";
import { createWriteQueue } from "../../host/api/write-queue.ts";
import { TEXT } from "./api-texts.ts";

type AnyCall = Pick<Call<unknown, unknown>, "services" | "params" | "signal" | "credential" | "language" | "t">;

export const SKILL_ROUTES: readonly Route[] = [
  route({
    id: "listSkills",
    method: "GET",
    path: "/skills",
    scope: "read",
    summary: "Every skill that was found, both of two with one name.",
    response: SkillList,
    handle: async ({ services, signal }) => ({
      body: { items: (await services.app.inside.skills.all(signal)).map(skillView) },
    }),
  }),
  route({
    id: "getSkill",
    method: "GET",
    path: "/skills/{name}",
    scope: "read",
    summary: "One skill: its SKILL.md, its files, and what is odd about them.",
    response: SkillDetail,
    errors: ["skill.not-found", "skill.invalid", "settings.unreadable-file"],
    handle: async (call) => {
      const skill = await find(call);
      const approval = skill.from === "workspace" ? approvalFor(skill.name, call) : undefined;
      const report = await reportOf(skill, call.signal);
      return tagged(call.headers, hashOf(skill), {
        ...skillView(skill),
        body: await skillText(skill),
        report: reportView(report, approval),
        ...(approval !== undefined && { approvedAt: approval.at }),
      });
    },
  }),
  route({
    id: "createSkill",
    method: "POST",
    path: "/skills",
    scope: "admin",
    summary: "A new skill of the workspace; what is saved here is approved.",
    body: SkillCreate,
    status: 201,
    response: SkillSchema,
    errors: ["skill.exists", "skill.invalid", "settings.unreadable-file"],
    handle: (call) =>
      alone(call, async () => {
        const { services, signal, body } = call;
        const all = await services.app.inside.skills.all(signal);
        const there = all.find(({ name, from }) => name === body.name && from === "workspace");
        const isOurs = there !== undefined && call.begunAt !== undefined && (await skillText(there)) === body.body;
        if (there !== undefined && !isOurs)
          throw refusal("skill.exists", call.language, {
            detail: TEXT.skillAlready,
            remedy: TEXT.changeOneOr,
            values: { name: body.name },
          });
        await saveSkill(body, call);
        return shown(body.name, call);
      }),
  }),
  route({
    id: "putSkill",
    method: "PUT",
    path: "/skills/{name}",
    scope: "admin",
    summary: "Replaces a SKILL.md; the skill is approved with the content it then has.",
    body: SkillWrite,
    response: SkillSchema,
    errors: [
      "skill.not-found",
      "skill.builtin",
      "skill.invalid",
      "precondition.required",
      "precondition.failed",
      "settings.unreadable-file",
    ],
    handle: (call) =>
      alone(call, async () => {
        const skill = own(await find(call), call);
        requireMatch(call.headers, hashOf(skill));
        // Its other files are approved with it, and nobody has looked at them yet.
        if (!skill.approved) requireOwner(call, TEXT.approvingSkillCame);
        const { name, directory } = skill;
        await saveSkill({ name, directory, body: call.body.body }, call);
        return shown(name, call);
      }),
  }),
  route({
    id: "deleteSkill",
    method: "DELETE",
    path: "/skills/{name}",
    scope: "admin",
    summary: "Removes a skill of the workspace with its files.",
    status: 204,
    errors: [
      "skill.not-found",
      "skill.builtin",
      "precondition.required",
      "precondition.failed",
      "settings.unreadable-file",
    ],
    handle: (call) =>
      alone(call, async () => {
        const skill = own(await find(call), call);
        requireMatch(call.headers, hashOf(skill));
        removeSkill(skill.name, call.services.app.loaded.workspace);
        await withdrawApproval(skill.name, call);
        return {};
      }),
  }),
  route({
    id: "putSkillState",
    method: "PUT",
    path: "/skills/{name}/state",
    scope: "admin",
    summary: "Offers a skill to the agent or keeps it from it, and whether its text is in every prompt.",
    body: SkillState,
    response: SkillSchema,
    errors: [
      "skill.not-found",
      "skill.suspended",
      "skill.builtin",
      "skill.invalid",
      "settings.invalid",
      "settings.locked",
      "settings.unreadable-file",
    ],
    handle: (call) =>
      alone(call, async () => {
        const skill = await find(call);
        const { name, approved, from } = skill;
        const { enabled, always } = call.body;
        if (always !== undefined) own(skill, call);
        if ((enabled === true || always !== undefined) && !approved && from === "workspace")
          throw refusal("skill.suspended", call.language, {
            detail: TEXT.skillWhatApproved,
            remedy: TEXT.lookAtFiles,
            values: { name },
          });
        if (always !== undefined && always !== (skill.head?.always === true)) {
          const body = withAlways(await skillText(skill), always);
          if (body !== undefined) await saveSkill({ name, directory: skill.directory, body }, call);
        }
        if (enabled !== undefined) await switchSkill(name, enabled, call);
        return shown(name, call);
      }),
  }),
  route({
    id: "approveSkill",
    method: "POST",
    path: "/skills/{name}/approve",
    scope: "owner",
    summary: "Accepts the content of a skill of the workspace as it is in the report.",
    body: SkillApprove,
    response: SkillSchema,
    errors: ["skill.not-found", "skill.builtin", "skill.invalid", "precondition.failed", "settings.unreadable-file"],
    handle: (call) =>
      alone(call, async () => {
        const skill = own(await find(call), call);
        const report = await reportOf(skill, call.signal);
        if (report.hash !== call.body.hash) throw changedMeanwhile(report.hash);
        requireLoadable(report, call.language);
        await approve(skill.name, report, call, approvalFor(skill.name, call)?.source);
        return shown(skill.name, call);
      }),
  }),
];

function find(call: AnyCall): Promise<Skill> {
  return skillOf(call.params["name"] ?? "", call);
}

/** @throws Problem `skill.builtin`. */
function own(skill: Skill, { language }: AnyCall): Skill {
  if (skill.from === "workspace") return skill;
  throw refusal("skill.builtin", language, {
    detail: TEXT.skillCameMargay,
    remedy: TEXT.createOneName,
    values: { name: skill.name },
  });
}

async function switchSkill(name: string, on: boolean, call: AnyCall): Promise<void> {
  const others = call.services.app.inside.loaded().config.skills.disabled.filter((other) => other !== name);
  const disabled = on ? others : [...others, name];
  const patch = { skills: { disabled: disabled.length === 0 ? null : disabled } };
  await changeSettings(patchEdits(patch, call), call, { dryRun: false });
}

async function shown(name: string, call: AnyCall): Promise<{ body: object; headers: { etag: string } }> {
  const skill = await skillOf(name, call);
  return { body: skillView(skill), headers: { etag: tagOf(hashOf(skill)) } };
}

function alone<T>({ services }: AnyCall, work: () => Promise<T>): Promise<T> {
  return services.once(createWriteQueue)(async () => {
    const done = await work();
    announce(services, "system", "skills");
    return done;
  });
}
