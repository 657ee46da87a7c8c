// YoYo on a graph like the one of the lecture notes, and what a cut bridge does to it.

export default {
  name: "yoyo",
  scenario: "yoyo-small",
  title: { en: "YoYo: down go the ids, up come the votes", pt: "YoYo: os ids descem, os votos sobem" },
  steps: [
    {
      at: { clause: "orient_link", process: 4, from: 2 },
      en: [
        "A source, an internal process, a sink",
        "Each link points from the smaller id to the larger. 1 and 2 have only outgoing links: they are **sources**. 5 has only incoming ones: a **sink**. 3 and 4 have both: they are **internal**. The arrows on the stage are the directions; messages go both ways.",
      ],
      pt: [
        "Uma fonte, um interno, um vertedouro",
        "Cada aresta aponta do menor identificador para o maior. 1 e 2 só têm arestas de saída: são **fontes**. O 5 só tem arestas de chegada: um **vertedouro**. 3 e 4 têm ambas: são **internos**. As setas no palco são os sentidos; as mensagens vão nos dois.",
      ],
    },
    {
      at: { clause: "collect_id", process: 5, sent: "Vote" },
      en: [
        "The sink has heard 1 and 2",
        "Both ids came down, each through an internal process. 1 is the smaller: 5 sends yes to 3 and no to 4. The no turns the link between 5 and 4 round.",
      ],
      pt: [
        "O vertedouro recebeu 1 e 2",
        "Os dois ids desceram, cada um por um interno. O 1 é o menor: o 5 envia S (sim) para o 3 e N (não) para o 4. O N inverte a aresta entre 5 e 4.",
      ],
    },
    {
      at: { clause: "collect_vote", process: 2 },
      en: [
        "Yes has reached 1, no has reached 2",
        "The internal processes pass the votes on: 3 a yes, 4 a no. All links of 2 have turned: the source has become a sink. 1 is a source still, and begins the next iteration.",
      ],
      pt: [
        "O S chegou ao 1, o N chegou ao 2",
        "Os internos repassam os votos: o 3 um S, o 4 um N. Todas as arestas do 2 se inverteram: a fonte virou vertedouro. O 1 continua fonte e começa a próxima iteração.",
      ],
    },
    {
      scenario: "yoyo-wikipedia",
      at: "start",
      en: [
        "a) Any graph will do",
        "No ring, no complete network: twelve processes and the links that happen to be there. The link between 2 and 10 is the only one between the two halves. The **smallest** id is to lead.",
      ],
      pt: [
        "a) Qualquer grafo serve",
        "Nem anel, nem rede completa: doze processos e os canais que por acaso existem. O canal entre 2 e 10 é o único entre as duas metades. Deve liderar o **menor** identificador.",
      ],
    },
    {
      at: { clause: "orient_link", process: 7, from: 4 },
      en: [
        "b) Phase 1: every link gets a direction",
        "All tell their neighbours their ids, and each link points from the smaller to the larger. 2, 3, 4, 5, 11 and 12 have only outgoing links: they are **sources**, and candidates. 20, 14, 31, 10, 41 and 7 have only incoming ones: **sinks**.",
      ],
      pt: [
        "b) Fase 1: cada aresta recebe um sentido",
        "Todos dizem seus identificadores aos vizinhos, e cada aresta aponta do menor para o maior. 2, 3, 4, 5, 11 e 12 só têm arestas de saída: são **fontes**, e candidatos. 20, 14, 31, 10, 41 e 7 só têm arestas de chegada: **vertedouros**.",
      ],
    },
    {
      at: { clause: "collect_id", process: 10, from: 4 },
      en: [
        "c) Yo–: ids fall from the sources to the sinks",
        "10 has heard from 2, 5 and 4, its three incoming links. The smallest is 2. So it votes yes to 2 and no to 5 and to 4, and a no **turns the link round**.",
      ],
      pt: [
        "c) Ida: os ids descem das fontes aos vertedouros",
        "O 10 recebeu de 2, 5 e 4, suas três arestas de chegada. O menor é 2. Então vota S (sim) para o 2 e N (não) para o 5 e o 4, e um N **inverte a aresta**.",
      ],
    },
    {
      at: { clause: "collect_vote", process: 4, from: 7 },
      en: [
        "d) –Yo: votes come up",
        "A source that got a single no is a source no more: its link points at it now. 2 and 3 had nothing but yes. Of six sources two are left, and they have begun the next iteration already.",
      ],
      pt: [
        "d) Volta: os votos sobem",
        "Basta um N para que uma fonte deixe de ser fonte: a aresta agora aponta para ela. 2 e 3 só receberam S. De seis fontes restam duas, que já começaram a próxima iteração.",
      ],
    },
    {
      at: { clause: "collect_id", process: 5, from: 41 },
      en: [
        "5 hears of both survivors",
        "5, once a source, is a sink now. Over 10 it hears 2, over 41 it hears 3. It votes no to 41: that will travel up to 3 and end its hopes.",
      ],
      pt: [
        "O 5 ouve os dois sobreviventes",
        "O 5, antes fonte, agora é vertedouro. Pelo 10 ouve 2, pelo 41 ouve 3. Vota não para o 41: isso vai subir até o 3 e acabar com suas esperanças.",
      ],
    },
    {
      at: { clause: "collect_id", process: 12, sent: "Cut" },
      en: [
        "e) Pruning: links that tell nothing new",
        "12 hears the same 2 over both of its links. One of them is enough, and as a leaf it has nothing to tell on that one either: it cuts both and is out. Without pruning the last source would never learn that it is alone.",
      ],
      pt: [
        "e) Poda: arestas que não dizem nada de novo",
        "O 12 ouve o mesmo 2 por suas duas arestas. Uma basta, e como folha não tem nada a dizer por ela: corta as duas e está fora. Sem a poda, a última fonte nunca saberia que está sozinha.",
      ],
    },
    {
      at: { clause: "collect_vote", process: 3, from: 7, changed: { stage: "down" } },
      en: ["3 is a sink", "Both links of 3 have turned. 2 is the only source that is left; but it has yet to find that out."],
      pt: ["O 3 é vertedouro", "As duas arestas do 3 se inverteram. O 2 é a única fonte que resta; mas ainda precisa descobrir isso."],
    },
    {
      at: { role: "leader", process: 2 },
      en: [
        "A source without links is alone",
        "The third iteration prunes the other half, and the last cut arrives over the bridge from 10. 2 has no link left to ask: **2 leads**. The way the leaves were cut is a tree, down which `Elected(2)` goes.",
      ],
      pt: [
        "Uma fonte sem arestas está sozinha",
        "A terceira iteração poda a outra metade, e o último corte chega pela ponte, do 10. O 2 não tem mais aresta por onde perguntar: **o 2 lidera**. O caminho pelo qual as folhas foram cortadas é uma árvore, pela qual desce `Elected(2)`.",
      ],
    },
    {
      scenario: "yoyo-split-brain",
      at: { clause: "give_up_silent_links", process: 10 },
      en: [
        "What if the link between 2 and 10 does not work?",
        "The question of the lecture notes. With the bridge dead from the start neither end hears of the other. After 5 ticks both give the link up, as if it were not there: for either half, its half is all there is.",
      ],
      pt: [
        "E se o canal entre 2 e 10 não funcionar?",
        "A pergunta das notas de aula. Com a ponte morta desde o início, nenhum lado ouve o outro. Após 5 tiques ambos desistem do canal, como se não existisse: para cada metade, ela é tudo o que há.",
      ],
    },
    {
      at: { role: "leader", process: 2 },
      en: [
        "Split-brain",
        "3 has led the right half since tick 12, and now 2 leads the left one. Each half did all things right: **uniqueness** and **agreement** are violated all the same. The network is partitioned, and no algorithm that has to elect in every part can avoid it.",
      ],
      pt: [
        "*Split-brain*",
        "O 3 lidera a metade direita desde o tique 12, e agora o 2 lidera a esquerda. Cada metade fez tudo certo: mesmo assim **unicidade** e **acordo** foram violados. A rede está particionada, e nenhum algoritmo que tenha de eleger em cada parte consegue evitar isso.",
      ],
    },
  ],
};
