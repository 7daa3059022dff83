/** Versions of a file: who, when, why; compared with the text now; restored as a new version. */
import { useState } from "preact/hooks";
import { c } from "../../../i18n/panels-common.ts";
import { t } from "../../../i18n/panels-memory.ts";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/toast.tsx";
import { Act, Outcome, useAct } from "../kit/act.tsx";
import { api } from "../kit/api.ts";
import { Diff } from "../kit/diff.tsx";
import { dateTime } from "../kit/format.ts";
import { Empty, Loaded } from "../kit/loaded.tsx";
import { useResource } from "../kit/resource.ts";
import type { FileText, OldText, Versions } from "./types.ts";

interface Props {
  readonly file: FileText;
  readonly reload: () => Promise<void>;
}

export function History({ file, reload }: Props) {
  const path = `/memory/files/${encodeURIComponent(file.name)}/versions`;
  const versions = useResource<Versions>(`${path}?limit=100`);
  const [open, setOpen] = useState<OldText | undefined>(undefined);
  const acting = useAct();
  const compare = (v: number) => async (): Promise<void> => {
    setOpen((await api.get<OldText>(`${path}/${v}`)).body);
  };
  const restore = (v: number) => async (): Promise<void> => {
    await api.post(`${path}/${v}/restore`, undefined, { ifMatch: `"${file.hash}"` });
    setOpen(undefined);
    toast(t("restored", { v }));
    await Promise.all([reload(), versions.reload()]);
  };
  return (
    <Loaded of={versions}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty>{t("noVersions")}</Empty>
        ) : (
          <div class="stack">
            <Outcome of={acting} />
            <ol class="p-cards">
              {items.map((version) => (
                <li key={version.v} class="p-card">
                  <div class="p-row">
                    <div class="grow">
                      <strong>{dateTime(version.at)}</strong>{" "}
                      <span class="p-mono p-faint">
                        {t("plusMinus", { added: version.added, removed: version.removed })}
                      </span>{" "}
                      {version.hash === file.hash && <span class="badge ok">{t("current")}</span>}
                      {version.by !== undefined && <div class="p-faint">{version.by}</div>}
                      {version.note !== undefined && <div>{version.note}</div>}
                    </div>
                    {open?.v === version.v ? (
                      <Button size="small" onClick={() => setOpen(undefined)}>
                        {c("close")}
                      </Button>
                    ) : (
                      <Act
                        acting={acting}
                        work={compare(version.v)}
                        size="small"
                        label={`${t("compare")}: ${t("version", { v: version.v })}`}
                      >
                        {t("compare")}
                      </Act>
                    )}
                    {version.hash !== file.hash && (
                      <Act
                        acting={acting}
                        work={restore(version.v)}
                        size="small"
                        label={`${t("restore")}: ${t("version", { v: version.v })}`}
                      >
                        {t("restore")}
                      </Act>
                    )}
                  </div>
                  {open?.v === version.v && (
                    <Diff before={open.text} after={file.text} label={t("diffOf", { v: version.v })} />
                  )}
                </li>
              ))}
            </ol>
          </div>
        )
      }
    </Loaded>
  );
}
