/** Backup: export of chosen sections, and import after a look at what it would change. */
import { exportBackup } from "./export.ts";
import { planImport } from "./import.ts";
import { readUpload } from "./read.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Route } from "../../host/api/route.ts";
import { BackupFile, ExportBody, ImportQuery, ImportResult } from "./schema.ts";

export const CONFIG_ROUTES: readonly Route[] = [
  route({
    id: "exportConfig",
    method: "POST",
    path: "/config/export",
    scope: "admin",
    summary: "A backup file; secrets are left out, or sealed with a passphrase.",
    body: ExportBody,
    response: BackupFile,
    errors: ["auth.fresh-required"],
    timeoutMs: 60_000,
    handle: async (call) => {
      const { services, body } = call;
      const sealed = body.secrets === "encrypted";
      if (sealed) requireOwner(call, { en: "Exporting secrets", "zh-CN": "导出密钥" });
      if (sealed !== (body.passphrase !== undefined))
        throw new Problem("request.invalid", {
          detail: "A passphrase belongs to secrets: encrypted, and to nothing else.",
          zh: { detail: "口令须与 secrets: encrypted 一起给出，且仅用于此。" },
          errors: [{ path: "/passphrase", code: "required", message: "goes with secrets: encrypted" }],
        });
      const backup = await exportBackup(body.sections, body.passphrase, call);
      services.app.audit.record("config.exported", { sections: [...body.sections], secrets: body.secrets });
      const day = new Date(services.app.clock.now()).toISOString().slice(0, 10);
      return { body: backup, headers: { "content-disposition": `attachment; filename="margay-${day}.json"` } };
    },
  }),
  route({
    id: "importConfig",
    method: "POST",
    path: "/config/import",
    scope: "owner",
    summary: "First with dryRun: what would change; then with that answer's token: the change.",
    query: ImportQuery,
    rawBody: "import",
    response: ImportResult,
    errors: ["import.invalid", "import.version", "import.conflict", "settings.invalid", "settings.unreadable-file"],
    timeoutMs: 60_000,
    handle: async (call) => {
      const { services, query, headers, t } = call;
      const bytes = call.body as unknown as Uint8Array; // rawBody
      const upload = readUpload(bytes, t);
      const plan = await planImport(upload, bytes, passphraseOf(headers["margay-passphrase"]), call);
      const isDry = query.dryRun === "" || query.dryRun === "true" || query.token === undefined;
      const answer = { format: upload.format, sections: plan.sections, skipped: upload.skipped, token: plan.token };
      if (isDry) return { body: { ...answer, applied: false, restart: [] } };
      if (query.token !== plan.token)
        throw new Problem("import.conflict", {
          detail: "Something was changed since the dry run, or it was another file. Nothing was imported.",
          remedy: "Look at a new dry run, and send its token.",
          zh: { detail: "预览之后内容有变，或文件不同。未导入任何内容。", remedy: "请重新预览，并发送其 token。" },
        });
      const restart = await plan.apply();
      services.app.audit.record("config.imported", {
        format: upload.format,
        sections: plan.sections.map(({ name }) => name),
      });
      return { body: { ...answer, applied: true, restart } };
    },
  }),
];

/** Base64 of UTF-8: a header takes no other text. */
function passphraseOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : Buffer.from(header, "base64").toString("utf8");
}
