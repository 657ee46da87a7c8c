// A leader that fails again and again, under bully and under a stable bully.

export default {
  name: "flapping",
  scenario: "bully-flapping",
  title: { en: "The flapping leader", pt: "O líder que vai e volta" },
  steps: [
    {
      at: { role: "leader", process: 5 },
      en: ["5 leads, for now", "5 is the strongest, but its connection is bad: it will fail at ticks 100, 300 and 500, and be back 100 ticks later each time."],
      pt: ["O 5 lidera, por enquanto", "O 5 é o mais forte, mas sua conexão é ruim: vai falhar nos tiques 100, 300 e 500, e voltar 100 tiques depois, a cada vez."],
    },
    {
      at: { role: "leader", process: 4 },
      en: ["4 takes over", "The detector tells after 21 ticks. The others call an election; 4 is the next in rank and need not ask anybody: it takes over at once. 21 ticks without a leader."],
      pt: ["O 4 assume", "O detector avisa após 21 tiques. Os outros convocam uma eleição; o 4 é o seguinte e não precisa perguntar a ninguém: assume na hora. 21 tiques sem líder."],
    },
    {
      at: { role: "leader", process: 5, after: { kind: "recover" } },
      en: ["5 is back and bullies 4 out", "4 is well and did nothing wrong, yet it has to go. **Stability** is violated: a new leader only if the old one failed."],
      pt: ["O 5 volta e expulsa o 4", "O 4 está bem e não fez nada de errado, mas tem que sair. A **estabilidade** foi violada: novo líder só se o antigo falhou."],
    },
    {
      at: "end",
      messages: 93,
      en: ["Two changes for every failure", "Six changes of leader in 650 ticks, 93 messages. Everybody follows whoever leads at the moment; but a system whose leader changes all the time gets little else done."],
      pt: ["Duas trocas para cada falha", "Seis trocas de líder em 650 tiques, 93 mensagens. Todos seguem quem lidera no momento; mas um sistema cujo líder troca o tempo todo faz pouca coisa além disso."],
    },
    {
      scenario: "bully-stable",
      at: { clause: "come_back", process: 5 },
      en: [
        "A stable bully",
        "The remedy of the lecture notes: who fails loses weight. 5 keeps count of its failures on disk, and they rank before the id. And it asks before it calls: `WhoLeads`?",
      ],
      pt: [
        "Um valentão estável",
        "O remédio das notas de aula: quem falha perde peso. O 5 conta suas falhas em disco, e elas valem mais que o id. E pergunta antes de se candidatar: `WhoLeads`?",
      ],
    },
    {
      at: { clause: "accept_coordinator", process: 5, after: { kind: "recover" } },
      en: ["5 follows 4", "4 answers: I do. 5, though its id is larger, accepts it. No election at all."],
      pt: ["O 5 segue o 4", "O 4 responde: eu. O 5, embora de id maior, o aceita. Nenhuma eleição."],
    },
    {
      at: "end",
      tries: [{ label: { en: "Now let 4 fail", pt: "Agora deixe o 4 falhar" }, faults: [{ do: "crash", process: 4 }], leader: 3 }],
      en: ["One change for three failures", "4 took over once and stays. Let it fail, and see who follows: 5 is alive, but 3 has never failed."],
      pt: ["Uma troca para três falhas", "O 4 assumiu uma vez e fica. Deixe-o falhar e veja quem o sucede: o 5 está vivo, mas o 3 nunca falhou."],
    },
  ],
};
