import type { Texts } from "@margay/core/internal";
import type { SANDBOX_TEXTS } from "./sandbox.en.ts";

export const SANDBOX_TEXTS_ZH: Texts<typeof SANDBOX_TEXTS> = {
  "sandbox.ok": "命令在沙箱（{kind}）中执行，自检已通过",
  "sandbox.okAs": "命令以用户 {account} 在沙箱（{kind}）中执行，其文件归该用户所有，自检已通过",
  "sandbox.gitRefuses": "工作区的文件归该用户所有，因此 root 运行的 git 会拒绝访问。若仍要在其中使用 git：`{command}`",
  "sandbox.network": "命令没有网络，除非调用提出需要；届时会对每个新主机询问一次",
  "sandbox.noNetwork": "此沙箱中的命令没有网络",
  "doctor.labels": "标签跟踪：精确，命令读取了哪些文件是已知的",
  "doctor.labelsCoarse":
    "标签跟踪：粗略（noatime）。{path} 所在的文件系统不记录访问时间，因此命令若未点名，就看不到外来内容文件；超过 200 个时，每条命令都会被视为读过它们。请以 relatime 挂载，或更换工作区位置。",
  "sandbox.off": "tools.exec.sandbox 为 none：命令不受限制，每条都会询问，无人可回答时不执行",
  "sandbox.no-bubblewrap": "命令不会执行：未安装用于隔离命令的 bubblewrap（bwrap）",
  "sandbox.bubblewrap-in-workspace": "命令不会执行：唯一的 bwrap 位于工作区内（{detail}），可能是命令放进去的",
  "sandbox.bubblewrap-too-old": "命令不会执行：bubblewrap 版本低于 0.8（{detail}）",
  "sandbox.no-user-namespaces": "命令不会执行：系统不允许 bubblewrap 使用用户命名空间（{detail}）",
  "sandbox.apparmor": "命令不会执行：AppArmor 阻止 bubblewrap 隔离命令（{detail}）",
  "sandbox.container": "命令不会执行：此容器无权创建沙箱所需的命名空间（{detail}）；所需选项见 docs/install.zh-CN.md",
  "sandbox.no-setpriv": "命令不会执行：margay 以 root 运行，而用于降权的 setpriv（util-linux）缺失",
  "sandbox.no-sandbox-exec": "命令不会执行：无法使用 sandbox-exec（{detail}）",
  "sandbox.no-srt": "命令不会执行：tools.exec.sandbox 为 srt，但没有可用的 srt {detail}",
  "sandbox.wsl1": "命令不会执行：WSL 1 无法隔离命令",
  "sandbox.platform": "命令不会执行：{detail} 上没有沙箱",
  "sandbox.architecture": "命令不会执行：没有适用于 {detail} 的系统调用过滤器",
  "sandbox.workspace": "命令不会执行：工作区 {detail} 包含系统本身或必须属于 root 的内容",
  "sandbox.workspace-closed": "命令不会执行：工作区 {detail} 无法进入或写入",
  "sandbox.shortage": "命令不会执行：进程、内存或时间不足，无法检测沙箱（{detail}），请重试",
  "sandbox.accounts": "命令不会执行：margay 以 root 运行，每个工作区需要一个专用用户 ID（{detail}）",
  "sandbox.self-test": "命令不会执行：沙箱未通过自检（{detail}）",
  "status.sandbox": "命令：仅在沙箱中执行（tools.exec.sandbox 为 {sandbox}；可用 margay doctor 检测）",
  "status.sandboxOff": "命令：不受限制（tools.exec.sandbox 为 none）；每条都会询问",
};
