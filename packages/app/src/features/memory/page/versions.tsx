/** Versions of a file: who, when, why; compared with the text now; restored as a new version. */
import { useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { Diff } from "../../../web/panel-kit/diff.tsx";
import { dateTime } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
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
