// Chang and Roberts on the ring of Coulouris's figure, then the best and the worst order of ids.

export default {
  name: "chang-roberts",
  scenario: "chang-roberts-coulouris",
  title: { en: "Chang and Roberts: the strongest comes home", pt: "Chang e Roberts: o mais forte volta para casa" },
  steps: [
    {
      at: "start",
      en: [
        "A ring with names",
        "Eight processes in a ring. Each has an id and can send to its clockwise neighbour only. Nobody knows who else is there, not even how many.",
      ],
      pt: [
        "Um anel com nomes",
        "Oito processos em um anel. Cada um tem um identificador e só pode enviar ao seu vizinho no sentido horário. Ninguém sabe quem mais está lá, nem quantos são.",
      ],
    },
    {
      at: { clause: "call_election", process: 17 },
      en: ["17 calls the election", "It marks itself *participant* (see the flag) and puts its id into a message: `Candidate(17)`."],
      pt: ["O 17 convoca a eleição", "Marca a si mesmo como *participante* (veja a bandeira) e coloca seu identificador em uma mensagem de eleição: `Candidate(17)`."],
    },
    {
      at: { clause: "weigh_candidate", process: 24, got: "Candidate", from: 17 },
      en: ["24 puts its own id in its place", "17 is smaller than 24, and 24 does not take part yet: it becomes a participant and sends `Candidate(24)` instead."],
      pt: ["O 24 substitui pelo seu", "17 é menor que 24, e o 24 ainda não participa: torna-se participante e envia `Candidate(24)` em seu lugar."],
    },
    {
      at: { clause: "weigh_candidate", process: 1, got: "Candidate", from: 24 },
      en: [
        "1 passes it on",
        "24 is larger than 1: forwarded as it is. This is the moment of the figure in Coulouris's book: the election was started by 17, and the highest id met so far is 24.",
      ],
      pt: [
        "O 1 encaminha",
        "24 é maior que 1: encaminhada como está. Este é o momento da figura no livro de Coulouris: a eleição foi iniciada pelo 17, e o maior identificador encontrado até agora é 24.",
      ],
    },
    {
      at: { clause: "weigh_candidate", process: 28, got: "Candidate", from: 1 },
      en: ["28 is stronger still", "From here on the message says 28, and nobody on the ring is larger: 15, 9, 4, 3 and even 17 and 24 will pass it on."],
      pt: ["O 28 é ainda mais forte", "Daqui em diante a mensagem diz 28, e ninguém no anel é maior: 15, 9, 4, 3 e até 17 e 24 vão encaminhá-la."],
    },
    {
      at: { clause: "weigh_candidate", process: 28, role: "leader" },
      en: [
        "28 gets its own id back",
        "Only the largest id can pass every process. So its coming home is proof, without any timer: **28 leads**. It is no participant any more and sends `Elected(28)` round.",
      ],
      pt: [
        "O 28 recebe o próprio identificador",
        "Somente o maior identificador consegue passar por todos os processos. Por isso sua volta é uma prova, sem nenhum temporizador: **o 28 lidera**. Deixa de ser participante e envia `Elected(28)` pelo anel.",
      ],
    },
    {
      at: "end",
      messages: 19,
      en: [
        "Everybody knows",
        "3 hops to the strongest, 8 round the ring, 8 for the announcement: 19 messages. The worst a single caller can cause is 3n − 1 = 23: the strongest sits just behind the caller.",
      ],
      pt: [
        "Todos sabem",
        "3 saltos até o mais forte, 8 em volta do anel, 8 para o anúncio: 19 mensagens. O pior que um único iniciador pode causar é 3n − 1 = 23: o mais forte está logo atrás dele.",
      ],
    },
    {
      scenario: "chang-roberts-worst",
      at: "end",
      messages: 44,
      en: [
        "The exercise of the notes: the worst ring",
        "Ids fall clockwise and all stand at once. Every candidate travels on to the 8: look at the long diagonals. 1 + 2 + … + n = n(n+1)/2 messages, and n to announce it: 44. That is O(n²).",
      ],
      pt: [
        "O exercício das notas: o pior anel",
        "Os identificadores decrescem no sentido horário e todos iniciam juntos. Cada candidato viaja até o 8: veja as longas diagonais. 1 + 2 + … + n = n(n+1)/2 mensagens, e n para o anúncio: 44. Isto é O(n²).",
      ],
    },
    {
      scenario: "chang-roberts-best",
      at: "end",
      messages: 23,
      tries: [{ label: { en: "Crash 8 before anything happens", pt: "Faça o 8 falhar antes de tudo" }, faults: [{ do: "crash", process: 8, at: 0 }], violated: "termination" }],
      en: [
        "The best ring",
        "Same processes, but ids rise clockwise: each candidate is swallowed by the next process. 23 messages. On average, over all orders, it is n·H_n + n. What the algorithm cannot bear is a crash: try it, and the ring is broken for good.",
      ],
      pt: [
        "O melhor anel",
        "Os mesmos processos, mas com identificadores crescentes no sentido horário: cada candidato é engolido pelo processo seguinte. 23 mensagens. Na média, sobre todas as ordens, são n·H_n + n. O que o algoritmo não tolera é uma falha: experimente, e o anel se quebra de vez.",
      ],
    },
  ],
};
