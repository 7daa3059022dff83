/** How the sandbox is doing: for `margay doctor`, `margay status` and the pages. */
export const SANDBOX_TEXTS = {
  "sandbox.ok": {
    en: "commands run in a sandbox ({kind}); its self-test passed",
    "zh-CN": "命令在沙箱（{kind}）中执行，自检已通过",
  },
  "sandbox.okAs": {
    en: "commands run in a sandbox ({kind}) as user {account}, whom their files belong to; its self-test passed",
    "zh-CN": "命令以用户 {account} 在沙箱（{kind}）中执行，其文件归该用户所有，自检已通过",
  },
  "sandbox.network": {
    en: "commands have no network, unless a call asks for it; then a person is asked once for each new host",
    "zh-CN": "命令没有网络，除非调用提出需要；届时会对每个新主机询问一次",
  },
  "sandbox.noNetwork": { en: "commands have no network in this sandbox", "zh-CN": "此沙箱中的命令没有网络" },
  "doctor.labels": {
    en: "label tracking: exact; which files a command read is known",
    "zh-CN": "标签跟踪：精确，命令读取了哪些文件是已知的",
  },
  "doctor.labelsCoarse": {
    en: "label tracking: coarse (noatime). The file system of {path} keeps no access times, so files in which strangers had a hand are hidden from commands that do not name them; where there are more than 200, every command counts as having read them. Mount it with relatime, or put the workspace elsewhere.",
    "zh-CN":
      "标签跟踪：粗略（noatime）。{path} 所在的文件系统不记录访问时间，因此命令若未点名，就看不到外来内容文件；超过 200 个时，每条命令都会被视为读过它们。请以 relatime 挂载，或更换工作区位置。",
  },
  "sandbox.off": {
    en: "tools.exec.sandbox is none: nothing is confined, every command asks, and none runs where nobody can answer",
    "zh-CN": "tools.exec.sandbox 为 none：命令不受限制，每条都会询问，无人可回答时不执行",
  },
  "sandbox.no-bubblewrap": {
    en: "commands do not run: bubblewrap (bwrap), which confines them, is not installed",
    "zh-CN": "命令不会执行：未安装用于隔离命令的 bubblewrap（bwrap）",
  },
  "sandbox.bubblewrap-in-workspace": {
    en: "commands do not run: the only bwrap lies in the workspace ({detail}), where a command could have put it",
    "zh-CN": "命令不会执行：唯一的 bwrap 位于工作区内（{detail}），可能是命令放进去的",
  },
  "sandbox.bubblewrap-too-old": {
    en: "commands do not run: bubblewrap is older than 0.8 ({detail})",
    "zh-CN": "命令不会执行：bubblewrap 版本低于 0.8（{detail}）",
  },
  "sandbox.no-user-namespaces": {
    en: "commands do not run: this system gives bubblewrap no user namespaces ({detail})",
    "zh-CN": "命令不会执行：系统不允许 bubblewrap 使用用户命名空间（{detail}）",
  },
  "sandbox.apparmor": {
    en: "commands do not run: AppArmor keeps bubblewrap from confining them ({detail})",
    "zh-CN": "命令不会执行：AppArmor 阻止 bubblewrap 隔离命令（{detail}）",
  },
  "sandbox.container": {
    en: "commands do not run: this container may not make the namespaces a sandbox needs ({detail})",
    "zh-CN": "命令不会执行：此容器无权创建沙箱所需的命名空间（{detail}）",
  },
  "sandbox.no-setpriv": {
    en: "commands do not run: margay runs as root, and setpriv (util-linux), which takes root's rights from them, is missing",
    "zh-CN": "命令不会执行：margay 以 root 运行，而用于降权的 setpriv（util-linux）缺失",
  },
  "sandbox.no-sandbox-exec": {
    en: "commands do not run: sandbox-exec cannot be used ({detail})",
    "zh-CN": "命令不会执行：无法使用 sandbox-exec（{detail}）",
  },
  "sandbox.no-srt": {
    en: "commands do not run: tools.exec.sandbox is srt, and no srt can be used {detail}",
    "zh-CN": "命令不会执行：tools.exec.sandbox 为 srt，但没有可用的 srt {detail}",
  },
  "sandbox.wsl1": {
    en: "commands do not run: the first version of WSL cannot confine them",
    "zh-CN": "命令不会执行：WSL 1 无法隔离命令",
  },
  "sandbox.platform": {
    en: "commands do not run: there is no sandbox for {detail}",
    "zh-CN": "命令不会执行：{detail} 上没有沙箱",
  },
  "sandbox.architecture": {
    en: "commands do not run: there is no system call filter for {detail}",
    "zh-CN": "命令不会执行：没有适用于 {detail} 的系统调用过滤器",
  },
  "sandbox.workspace": {
    en: "commands do not run: the workspace {detail} holds the system itself, or what must stay root's",
    "zh-CN": "命令不会执行：工作区 {detail} 包含系统本身或必须属于 root 的内容",
  },
  "sandbox.workspace-closed": {
    en: "commands do not run: the workspace {detail} cannot be entered or written to",
    "zh-CN": "命令不会执行：工作区 {detail} 无法进入或写入",
  },
  "sandbox.shortage": {
    en: "commands do not run: the sandbox could not be tested for lack of processes, memory or time ({detail}); try again",
    "zh-CN": "命令不会执行：进程、内存或时间不足，无法检测沙箱（{detail}），请重试",
  },
  "sandbox.accounts": {
    en: "commands do not run: margay runs as root, and each workspace then needs a user id of its own ({detail})",
    "zh-CN": "命令不会执行：margay 以 root 运行，每个工作区需要一个专用用户 ID（{detail}）",
  },
  "sandbox.self-test": {
    en: "commands do not run: the sandbox failed its own test ({detail})",
    "zh-CN": "命令不会执行：沙箱未通过自检（{detail}）",
  },
  "status.sandbox": {
    en: "commands: only in a sandbox (tools.exec.sandbox {sandbox}; margay doctor tries it)",
    "zh-CN": "命令：仅在沙箱中执行（tools.exec.sandbox 为 {sandbox}；可用 margay doctor 检测）",
  },
  "status.sandboxOff": {
    en: "commands: not confined (tools.exec.sandbox none); each is asked for",
    "zh-CN": "命令：不受限制（tools.exec.sandbox 为 none）；每条都会询问",
  },
} as const;
