/** Backup: export of chosen sections, and import after a look at what it would change. */
import { exportBackup } from "./export.ts";
import { planImport } from "./import.ts";
import type { BackupParts } from "./parts.ts";
import { readUpload } from "./read.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Route } from "../../host/api/route.ts";
import { BackupFile, ExportBody, ImportQuery, ImportResult } from "./schema.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

export function configRoutes(parts: BackupParts): readonly Route[] {
  return [
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
        if (sealed) requireOwner(call, TEXT.exportingSecrets);
        if (sealed !== (body.passphrase !== undefined))
          throw new Problem("request.invalid", {
            ...told({ detail: TEXT.passphraseBelongsSecrets }),
            errors: [{ path: "/passphrase", code: "required", message: "goes with secrets: encrypted" }],
          });
        const backup = await exportBackup(body.sections, body.passphrase, call, parts);
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
        const upload = readUpload(bytes, t, parts);
        const plan = await planImport(upload, bytes, passphraseOf(headers["margay-passphrase"]), call, parts);
        const isDry = query.dryRun === "" || query.dryRun === "true" || query.token === undefined;
        const answer = { format: upload.format, sections: plan.sections, skipped: upload.skipped, token: plan.token };
        if (isDry) return { body: { ...answer, applied: false, restart: [] } };
        if (query.token !== plan.token)
          throw new Problem("import.conflict", told({ detail: TEXT.somethingChangedSince, remedy: TEXT.lookAtNew }));
        const restart = await plan.apply();
        services.app.audit.record("config.imported", {
          format: upload.format,
          sections: plan.sections.map(({ name }) => name),
        });
        return { body: { ...answer, applied: true, restart } };
      },
    }),
  ];
}

/** Base64 of UTF-8: a header takes no other text. */
function passphraseOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : Buffer.from(header, "base64").toString("utf8");
}
