// The network is cut in two: bully makes two coordinators, weight keeps it at one.

export default {
  name: "weight",
  scenario: "split-brain-bully",
  title: { en: "Split-brain, and a cure by weight", pt: "*Split-brain*, e a cura pelo peso" },
  steps: [
    {
      at: { clause: "begin_to_grant", process: 4 },
      en: [
        "A leader who guards a lock",
        "Three layers: heartbeats to notice who is gone, bully to elect, and a mutex whose coordinator is whoever is elected. 4 leads and has begun to grant. All is well.",
      ],
      pt: [
        "Um líder que guarda uma trava",
        "Três camadas: *heartbeats* para notar quem sumiu, o valentão para eleger, e uma exclusão mútua cujo coordenador é quem foi eleito. O 4 lidera e começou a autorizar. Tudo bem.",
      ],
    },
    {
      at: { kind: "partition" },
      en: ["The network is cut in two", "1 and 2 on one side, 3 and 4 on the other: a **partition**. Nobody has crashed. But what is sent across is lost, and silence is all the others notice."],
      pt: ["A rede é cortada em duas", "1 e 2 de um lado, 3 e 4 do outro: um **particionamento**. Ninguém falhou. Mas o que é enviado para o outro lado se perde, e os outros só percebem o silêncio."],
    },
    {
      at: { clause: "miss_leader", process: 1, subject: 4 },
      en: ["To 1 and 2 it looks as if 4 were dead", "Four looks without a heartbeat, and they suspect 3 and 4. 1 calls an election. What it asks 3 and 4 is lost, and so there will be no answer from them."],
      pt: ["Para 1 e 2 é como se o 4 estivesse morto", "Quatro olhadas sem um *heartbeat*, e suspeitam de 3 e 4. O 1 convoca uma eleição. O que pergunta a 3 e 4 se perde, e portanto não haverá resposta deles."],
    },
    {
      at: { role: "leader", process: 2, after: { kind: "partition" } },
      en: ["Two leaders", "2 believes both stronger ones dead and takes office. On the other side 4 has never left it. **Uniqueness** is violated: part of the network sees one leader, part sees another."],
      pt: ["Dois líderes", "O 2 julga mortos os dois mais fortes e toma posse. Do outro lado, o 4 nunca saiu. A **unicidade** foi violada: parte da rede vê um processo como líder e parte vê outro."],
    },
    {
      at: { clause: "accept_grant", process: 1 },
      en: [
        "And so, two inside",
        "2 was careful: it waited until every old grant had to be over before it let 1 in. But 4 went on granting, and 3 is inside. Two leaders who each guard the lock guard nothing: **mutual exclusion** is violated.",
      ],
      pt: [
        "E assim, dois na região crítica",
        "O 2 foi cuidadoso: esperou até que toda autorização antiga tivesse expirado antes de deixar o 1 entrar. Mas o 4 continuou autorizando, e o 3 está dentro. Dois líderes que guardam cada um a trava não guardam nada: a **exclusão mútua** foi violada.",
      ],
    },
    {
      scenario: "split-brain-raft",
      at: { clause: "count_vote", process: 4, role: "leader" },
      en: [
        "The same again, but votes have weight",
        "Raft's election instead of bully. Time is cut into **terms**; in each one everybody votes once, and more than half of all the **weight** elects. 4 weighs 2, the others 1 each: 5 in all, 3 are needed. 4 leads in term 1.",
      ],
      pt: [
        "O mesmo de novo, mas os votos têm peso",
        "A eleição do Raft no lugar do valentão. O tempo é dividido em **mandatos**; em cada um, todos votam uma vez, e mais da metade de todo o **peso** elege. O 4 pesa 2, os outros 1 cada: 5 no total, são precisos 3. O 4 lidera no mandato 1.",
      ],
    },
    {
      at: { kind: "partition" },
      en: ["The same cut", "3 and 4 weigh 3 of 5. 1 and 2 weigh 2 of 5. Just as many processes on both sides, but not as much weight."],
      pt: ["O mesmo corte", "3 e 4 pesam 3 de 5. 1 e 2 pesam 2 de 5. O mesmo número de processos dos dois lados, mas não o mesmo peso."],
    },
    {
      at: { clause: "count_prevote", process: 2, from: 1, after: { kind: "partition" } },
      en: ["2 asks, 1 would agree, and nothing comes of it", "2 misses the leader and asks who would vote for it in term 2. 1 would. That is 2 of 5: no majority, however often they try, and so no election."],
      pt: ["O 2 pergunta, o 1 concordaria, e nada acontece", "O 2 sente falta do líder e pergunta quem votaria nele no mandato 2. O 1 votaria. São 2 de 5: não há maioria, por mais que tentem, e portanto não há eleição."],
    },
    {
      at: { clause: "accept_grant", process: 1, after: { kind: "heal" } },
      en: [
        "1 enters when the links work again",
        "1 had to wait through the whole partition: that is the price. In return there was one coordinator and one inside, always. Part of the network stands still so that the whole is never wrong.",
      ],
      pt: [
        "O 1 entra quando os canais voltam",
        "O 1 teve que esperar por todo o particionamento: é o preço. Em troca houve um só coordenador e um só na região crítica, sempre. Parte da rede fica parada para que o todo nunca erre.",
      ],
    },
    {
      scenario: "raft-weight",
      at: { clause: "note_answer", process: 1, from: 2, after: { kind: "partition" } },
      en: [
        "Weight is not a head count",
        "Five processes; 1 weighs 3, so there are 7 votes. The cut leaves 1 with 2 only, the minority by heads. But it is 4 of 7 by weight: 1 goes on leading, and the three others cannot elect.",
      ],
      pt: [
        "Peso não é contagem de cabeças",
        "Cinco processos; o 1 pesa 3, logo há 7 votos. O corte deixa o 1 só com o 2, minoria em número. Mas são 4 de 7 em peso: o 1 continua liderando, e os outros três não conseguem eleger.",
      ],
    },
    {
      at: "end",
      tries: [{ label: { en: "The same without weight", pt: "O mesmo sem peso" }, parameters: { weight: {} }, violated: "uniqueness" }],
      en: [
        "When the links are back nothing has changed",
        "Same leader, same term. Take the weight away and run it again: now the three are the majority and elect, and 1 has to step down when it finds that it has lost its own.",
      ],
      pt: [
        "Quando os canais voltam, nada mudou",
        "Mesmo líder, mesmo mandato. Tire o peso e execute de novo: agora os três são a maioria e elegem, e o 1 tem que renunciar quando percebe que perdeu a sua.",
      ],
    },
  ],
};
