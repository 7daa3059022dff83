/** Skills from elsewhere: brought, looked at, then installed with exactly the content that was looked at. */
import { installSkill } from "@margay/core/internal";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { announce } from "../../host/live/announce.ts";
import { changedMeanwhile } from "../../host/api/etag.ts";
import { refusal } from "../../host/api/refusal.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { SkillApprove, SkillSchema, StagedSchema, StageQuery } from "./schema.ts";
import { approvalFor, approve } from "./approvals.ts";
import { reportView, requireLoadable, skillOf, skillView } from "./skill-view.ts";
import { openStages, type Stage } from "./stages.ts";
import { createWriteQueue } from "../../host/api/write-queue.ts";
import { TEXT } from "./api-texts.ts";

export const SKILL_STAGE_ROUTES: readonly Route[] = [
  route({
    id: "stageSkills",
    method: "POST",
    path: "/skills/stage",
    scope: "owner",
    summary:
      "Brings skills here to be looked at: an archive as the body, or a folder or npm package by name. Nothing runs.",
    query: StageQuery,
    rawBody: "upload",
    response: StagedSchema,
    errors: ["skill.unsafe", "settings.unreadable-file"],
    timeoutMs: 150_000,
    handle: async (call) => {
      const { services, query, body, language } = call;
      const { source } = query;
      const given: unknown = body; // a raw body has no schema
      const bytes = given instanceof Uint8Array ? given : new Uint8Array();
      if ((source === undefined) === (bytes.length === 0))
        throw refusal("request.invalid", language, {
          detail: TEXT.giveEitherArchive,
          errors: [{ path: "query/source", code: "invalid", message: "is needed without a body, and only then" }],
        });
      const stages = await services.once(openStages).bring(source ?? bytes, call);
      const { workspace } = services.app.loaded;
      return {
        body: {
          items: stages.map(({ id, skill, report }) => ({
            id,
            report: reportView(report, approvalFor(skill.name, call)),
            replaces: existsSync(join(workspace, "skills", skill.name)),
          })),
        },
      };
    },
  }),
  route({
    id: "installStagedSkill",
    method: "POST",
    path: "/skills/stage/{id}/approve",
    scope: "owner",
    summary: "Installs a skill that was brought, with the content that the report is about.",
    body: SkillApprove,
    response: SkillSchema,
    errors: ["skill.not-found", "skill.invalid", "precondition.failed", "settings.unreadable-file"],
    handle: (call) =>
      call.services.once(createWriteQueue)(async () => {
        const { services, signal, body } = call;
        const { id, skill, report, source } = find(call);
        if (report.hash !== body.hash) throw changedMeanwhile(report.hash);
        requireLoadable(report, call.language);
        const { name, directory } = skill;
        const { workspace } = services.app.loaded;
        const files = await installSkill({ name, directory, hash: report.hash }, workspace, signal);
        await approve(name, files, call, source);
        services.once(openStages).drop(id);
        announce(services, "system", "skills");
        return { body: skillView(await skillOf(name, call)) };
      }),
  }),
  route({
    id: "dropStagedSkill",
    method: "DELETE",
    path: "/skills/stage/{id}",
    scope: "owner",
    summary: "Forgets a skill that was brought.",
    status: 204,
    errors: ["skill.not-found"],
    handle: (call) => {
      call.services.once(openStages).drop(find(call).id);
      return {};
    },
  }),
];

/** @throws Problem `skill.not-found`. */
function find({ services, params, language }: Pick<Call<unknown, unknown>, "services" | "params" | "language">): Stage {
  const stage = services.once(openStages).find(params["id"] ?? "");
  if (stage !== undefined) return stage;
  throw refusal("skill.not-found", language, {
    detail: TEXT.noSuchSkill,
    remedy: TEXT.bringAgain,
  });
}
