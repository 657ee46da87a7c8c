// A time-out cannot tell a dead holder from a slow one: two in the critical section, and how fencing helps.

export default {
  name: "slow-holder",
  scenario: "coordinator-slow-holder",
  title: { en: "The slow holder", pt: "O processo lento na região crítica" },
  steps: [
    {
      at: "start",
      en: [
        "One coordinator, a queue, a time-out",
        "0 coordinates access to a resource; 1, 2 and 3 want it. A grant is good for 20 ticks: if it is not given back by then the coordinator takes the holder for dead. That is the time-out everybody proposes when asked what to do if a holder crashes.",
      ],
      pt: [
        "Um coordenador, uma fila, um *timeout*",
        "O 0 coordena o acesso a um recurso; 1, 2 e 3 o querem. Uma autorização vale 20 tiques: se não for devolvida até lá, o coordenador considera o processo morto. É o *timeout* que todos propõem quando se pergunta o que fazer se quem está na região crítica falhar.",
      ],
    },
    {
      at: { clause: "accept_grant", process: 1 },
      en: ["1 asks and is let in", "`Request`, `Grant`: the resource was free and the queue empty. The green bar says that 1 is in the critical section."],
      pt: ["O 1 pede e entra", "`Request` (requisição), `Grant` (autorização): o recurso estava livre e a fila, vazia. A barra verde diz que o 1 está na região crítica."],
    },
    {
      at: { clause: "line_up", process: 0, got: "Request", from: 3 },
      en: ["1 leaves, 2 and 3 queue", "The coordinator has taken 1's release back and is about to let the next one in. Its `queue` is 2, then 3: first come, first served."],
      pt: ["O 1 sai, 2 e 3 esperam na fila", "O coordenador recebeu a liberação do 1 e está para autorizar o próximo. Sua `queue` é 2, depois 3: quem chega primeiro é atendido primeiro."],
    },
    {
      at: { clause: "accept_grant", process: 2 },
      en: ["2 is inside", "It means to stay for 10 ticks. 3 waits."],
      pt: ["O 2 entra", "Pretende ficar 10 tiques. O 3 espera."],
    },
    {
      at: { kind: "pause", process: 2 },
      en: [
        "2 stands still",
        "A long garbage collection, a virtual machine that is moved, a laptop that is closed: the process has forgotten nothing, but for a while it does nothing. It cannot notice that, either: no clock of its own ticks meanwhile.",
      ],
      pt: [
        "O 2 fica parado",
        "Uma coleta de lixo demorada, uma máquina virtual migrada, um notebook fechado: o processo não esqueceu nada, mas por um tempo não faz nada. Nem pode perceber isso: enquanto isso nenhum relógio seu anda.",
      ],
    },
    {
      at: { clause: "time_out", process: 0 },
      en: [
        "The time-out",
        "22 ticks after the grant the coordinator has heard nothing from 2. Dead, or slow? From where it stands the two look **exactly** the same. It decides for dead.",
      ],
      pt: [
        "O *timeout*",
        "22 tiques após a autorização o coordenador não ouviu nada do 2. Morto ou lento? De onde ele está, os dois casos são **exatamente** iguais. Ele decide: morto.",
      ],
    },
    {
      at: { clause: "accept_grant", process: 3 },
      en: [
        "Two inside",
        "3 is let in while 2 has not left: two green bars side by side, and **mutual exclusion** is violated. No other value of the time-out would help; a process can always be slower than that. In an asynchronous system a failed process cannot be told from a slow one.",
      ],
      pt: [
        "Dois dentro",
        "O 3 entra sem que o 2 tenha saído: duas barras verdes lado a lado, e a **exclusão mútua** foi violada. Nenhum outro valor do *timeout* ajudaria; um processo sempre pode ser mais lento. Em um sistema assíncrono é impossível distinguir um processo falho de um processo lento.",
      ],
    },
    {
      at: { clause: "go_outside", process: 2 },
      en: ["2 goes on as if nothing had happened", "It ends its work inside, which was not its any more, and releases. If it wrote to the resource at this moment it destroyed what 3 was doing."],
      pt: ["O 2 continua como se nada tivesse acontecido", "Termina seu trabalho na região crítica, que já não era sua, e libera. Se escreveu no recurso neste momento, destruiu o que o 3 fazia."],
    },
    {
      scenario: "coordinator-fencing",
      at: { kind: "refuse", process: 2 },
      en: [
        "A way out: fencing",
        "The same run, but every grant carries a number that grows: 2 has token 2, and 3 has token 3. The coordinator is fooled as before. But the **resource** has seen 3, and refuses everything older: when 2 comes back it is turned away. Two believe to be inside; one is served.",
      ],
      pt: [
        "Uma saída: *fencing*",
        "A mesma execução, mas cada autorização traz um número que cresce: o 2 tem o *token* 2, e o 3 tem o 3. O coordenador se engana como antes. Mas o **recurso** já viu o 3 e recusa tudo que é mais velho: quando o 2 volta, é barrado. Dois acreditam estar dentro; um é atendido.",
      ],
    },
    {
      scenario: "coordinator-dead-holder",
      at: { clause: "accept_grant", process: 3 },
      en: [
        "And if 2 had really died?",
        "Then the time-out was right: up to this point the coordinator has seen **the same** as in the first run, event for event, and does the same. Put the two branches side by side and look for a difference in the lane of 0.",
      ],
      pt: [
        "E se o 2 tivesse mesmo morrido?",
        "Então o *timeout* estava certo: até este ponto o coordenador viu **o mesmo** que na primeira execução, evento por evento, e faz o mesmo. Ponha os dois ramos lado a lado e procure uma diferença na linha do 0.",
      ],
    },
  ],
};
