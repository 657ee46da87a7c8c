// The successful run of a quorum that the lecture notes leave to be constructed: n = 7, m = 4.

export default {
  name: "quorum",
  scenario: "quorum-success",
  title: { en: "The quorum that agrees", pt: "O quórum que funciona" },
  steps: [
    {
      at: "start",
      en: [
        "n = 7 coordinators, m = 4 grants",
        "1 to 7 coordinate, each with a queue of its own and one grant to give. 8 and 9 want in. Each needs **m > n/2** grants, here four of seven. Any two sets of four share a coordinator.",
      ],
      pt: [
        "n = 7 coordenadores, m = 4 autorizações",
        "1 a 7 coordenam, cada um com a própria fila e uma autorização para dar. 8 e 9 querem entrar. Cada um precisa de **m > n/2** autorizações, aqui quatro de sete. Dois conjuntos de quatro sempre têm um coordenador em comum.",
      ],
    },
    {
      at: { clause: "want_in", process: 8 },
      en: ["8 asks all seven", "One `Request` to each coordinator. 8 waits for any four of the answers, not for all."],
      pt: ["O 8 pede aos sete", "Uma requisição (`Request`) a cada coordenador. O 8 espera quatro respostas quaisquer, não todas."],
    },
    {
      at: { clause: "enqueue", process: 7, got: "Request", from: 8 },
      en: ["Each grants by itself", "The coordinators do not talk to each other. Each was free, notes `granted` = 8 and sends `Grant`."],
      pt: ["Cada um autoriza por si", "Os coordenadores não falam entre si. Cada um estava livre, anota `granted` = 8 e envia a autorização (`Grant`)."],
    },
    {
      at: { clause: "count_grant", process: 8, role: "inside" },
      en: ["The fourth grant: 8 is inside", "{1, 2, 3, 4} is a quorum. The grants of 5, 6 and 7 are still to come and change nothing. If those three had crashed, 8 would be inside all the same."],
      pt: ["A quarta autorização: o 8 entra", "{1, 2, 3, 4} é um quórum. As autorizações de 5, 6 e 7 ainda vêm e nada mudam. Se esses três tivessem falhado, o 8 estaria dentro do mesmo jeito."],
    },
    {
      at: { clause: "want_in", process: 9 },
      en: ["9 asks, too", "Seven requests again, while 8 is inside."],
      pt: ["O 9 também pede", "Sete requisições de novo, com o 8 dentro."],
    },
    {
      at: { clause: "enqueue", process: 7, got: "Request", from: 9 },
      tries: [
        { label: { en: "Crash 1, 2 and 3", pt: "Faça 1, 2 e 3 falharem" }, faults: [{ do: "crash", process: 1 }, { do: "crash", process: 2 }, { do: "crash", process: 3 }], holds: "starvation_freedom" },
        { label: { en: "Crash one more: 1, 2, 3 and 4", pt: "Faça mais um falhar: 1, 2, 3 e 4" }, faults: [{ do: "crash", process: 1 }, { do: "crash", process: 2 }, { do: "crash", process: 3 }, { do: "crash", process: 4 }], violated: "starvation_freedom" },
      ],
      en: [
        "All seven queue it",
        "Every coordinator has granted to 8, so every one puts 9 into its `queue`. 9 could only enter now if four coordinators granted twice. Three of the seven may crash, and 9 will still get in. With four down there is no quorum any more.",
      ],
      pt: [
        "Os sete o põem na fila",
        "Cada coordenador já autorizou o 8, e por isso põe o 9 em sua fila (`queue`). O 9 só poderia entrar agora se quatro coordenadores autorizassem duas vezes. Três dos sete podem falhar, e o 9 ainda entrará. Com quatro falhos já não há quórum.",
      ],
    },
    {
      at: { clause: "go_outside", process: 8 },
      en: ["8 leaves and releases all it asked", "`Release` to all seven, also to those whose grant it did not need: they wait for it as the others do."],
      pt: ["O 8 sai e libera todos a quem pediu", "A liberação (`Release`) vai aos sete, também àqueles de cuja autorização não precisou: eles a esperam como os outros."],
    },
    {
      at: { clause: "take_back", process: 7, got: "Release", from: 8 },
      en: ["The queues move on", "Each coordinator is free again, takes 9 from its queue and grants to it."],
      pt: ["As filas andam", "Cada coordenador está livre de novo, tira o 9 de sua fila e o autoriza."],
    },
    {
      at: { clause: "count_grant", process: 9, role: "inside" },
      en: ["The fourth grant: 9 is inside", "One after the other, and no coordinator was asked by another. 8 had left two ticks before."],
      pt: ["A quarta autorização: o 9 entra", "Um após o outro, e nenhum coordenador consultou outro. O 8 tinha saído dois tiques antes."],
    },
    {
      at: "end",
      messages: 42,
      en: [
        "42 messages for two entries",
        "A request, a grant and a release for each of seven coordinators: 3n = 21 messages an entry, 42 in all, where a single coordinator takes 3 or 4 an entry. That is the price of living through three crashes. What a coordinator must not do is forget: that is the next story.",
      ],
      pt: [
        "42 mensagens para duas entradas",
        "Uma requisição, uma autorização e uma liberação para cada um dos sete coordenadores: 3n = 21 mensagens por entrada, 42 ao todo, onde um único coordenador usa 3 ou 4 por entrada. É o preço de sobreviver a três falhas. O que um coordenador não pode fazer é esquecer: é a próxima história.",
      ],
    },
  ],
};
